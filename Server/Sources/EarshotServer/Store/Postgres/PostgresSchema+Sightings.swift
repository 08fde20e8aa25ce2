#if Postgres
    extension PostgresSchema {
        static let sightingFunctions = """
            -- The tokens of a project by their names, in order, with their status. A name without a token is unknown.
            CREATE FUNCTION named_tokens(project bigint, names bigint[], t bigint)
            RETURNS TABLE (place bigint, token bigint, owner bigint, status text) LANGUAGE sql STABLE AS $$
                SELECT name.place, token.id, token.device_id, CASE
                        WHEN token.id IS NULL THEN 'INVALID'
                        WHEN token.expires_at > t AND (publication.id IS NOT NULL OR subscription.id IS NOT NULL)
                            THEN 'VALID'
                        ELSE 'EXPIRED' END
                FROM unnest(names) WITH ORDINALITY AS name (bytes, place)
                    LEFT JOIN token ON token.project_id = project AND token.bytes = name.bytes
                    LEFT JOIN publication ON publication.id = token.publication_id AND publication.ended_at IS NULL
                        AND publication.expires_at > t
                    LEFT JOIN subscription ON subscription.id = token.subscription_id AND subscription.expires_at > t;
            $$;

            -- Ends sightings, side by side their devices and tokens. The caller has locked the devices of their pairs.
            CREATE FUNCTION end_sightings(
                hearers bigint[], tokens bigint[], t bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
                DELETE FROM sighting USING unnest(hearers, tokens) AS ended (hearer, token)
                    WHERE device_id = hearer AND token_id = token;
                SELECT s.* INTO woken, found_count, lost_count FROM (
                    SELECT array_agg(publication) AS p, array_agg(subscription) AS s FROM all_pairs_heard(hearers, tokens)
                ) AS pairs, settle(pairs.p, pairs.s, t) AS s;
            END $$;
            """

        /// The function of reports, since version 3. Before, it and the table had the medium and its strength, and nothing used them.
        static let reports = """
            DROP FUNCTION IF EXISTS report(
                bigint, bigint, bigint[], bigint[], text[], integer[], bigint[], bigint, bigint, bigint);
            ALTER TABLE sighting DROP COLUMN IF EXISTS medium, DROP COLUMN IF EXISTS rssi_dbm;
            -- Records what a device hears, and what it no longer hears. Names are the bytes of tokens as numbers; null is no
            -- token.
            CREATE FUNCTION report(
                reporter bigint, project bigint, names bigint[], ages bigint[],
                lost_names bigint[], lifetime bigint, per_device bigint, fixed bigint,
                OUT problem text, OUT heard text[], OUT no_longer_heard text[], OUT woken bigint[], OUT found_count bigint,
                OUT lost_count bigint) LANGUAGE plpgsql AS $$
            DECLARE
                t bigint := moment(fixed);
                locked bigint[];
                taken bigint[];
                ends bigint[];
                fresh bigint[];
                no_longer bigint[];
                changed bigint[];
            BEGIN
                -- Most reports prolong what is known: they concern no other device.
                locked := reporter || coalesce((
                    SELECT array_agg(DISTINCT token.device_id) FROM (
                        SELECT token.device_id FROM unnest(names) AS name
                            JOIN token ON token.project_id = project AND token.bytes = name
                            LEFT JOIN sighting ON sighting.device_id = reporter AND token_id = token.id
                            WHERE coalesce(sighting.expires_at, 0) <= t AND token.expires_at > t
                        UNION ALL
                        SELECT token.device_id FROM unnest(lost_names) AS name
                            JOIN token ON token.project_id = project AND token.bytes = name
                    ) AS token), '{}');
                PERFORM lock_devices(locked);
                t := moment(fixed);
                -- The sweep of silent devices sees it when the report is complete.
                INSERT INTO presence VALUES (reporter, t)
                    ON CONFLICT (device_id) DO UPDATE SET reported_at = greatest(presence.reported_at, t);

                WITH judged AS MATERIALIZED (
                    SELECT named.*, age,
                        status = 'VALID' AND owner <> reporter AND age < lifetime AS is_taken
                    FROM named_tokens(project, names, t) AS named
                        JOIN unnest(ages) WITH ORDINALITY AS detail (age, place) USING (place)
                )
                SELECT coalesce(array_agg(status ORDER BY place), '{}'),
                    coalesce(array_agg(token ORDER BY place) FILTER (WHERE is_taken), '{}'),
                    coalesce(array_agg(t + lifetime - age ORDER BY place) FILTER (WHERE is_taken), '{}')
                INTO heard, taken, ends FROM judged;
                SELECT coalesce(array_agg(status ORDER BY place), '{}'),
                    coalesce(array_agg(token) FILTER (WHERE token IS NOT NULL), '{}')
                INTO no_longer_heard, changed FROM named_tokens(project, lost_names, t);

                SELECT coalesce(array_agg(DISTINCT id) FILTER (WHERE coalesce(expires_at, 0) <= t), '{}') INTO fresh
                    FROM unnest(taken) AS id LEFT JOIN sighting ON token_id = id AND device_id = reporter;
                IF fresh <> '{}' AND per_device < (
                    SELECT count(*) FROM (
                        SELECT token_id FROM sighting WHERE device_id = reporter UNION SELECT unnest(fresh)
                    ) AS all_heard
                ) AND EXISTS (
                    SELECT FROM unnest(fresh) AS id
                    WHERE NOT EXISTS (SELECT FROM sighting WHERE token_id = id AND device_id = reporter)
                ) THEN
                    problem := 'sightings';
                    RETURN;
                END IF;
                no_longer := changed;
                changed := changed || fresh;
                IF NOT owners(changed) <@ locked THEN
                    RAISE serialization_failure USING MESSAGE = 'a sighting ended';
                END IF;
                -- A session may end between its check and this.
                IF NOT EXISTS (SELECT FROM device WHERE id = reporter) THEN
                    DELETE FROM presence WHERE device_id = reporter;
                    RETURN;
                END IF;

                -- A late report does not shorten a sighting.
                INSERT INTO sighting AS present (device_id, token_id, expires_at)
                    SELECT DISTINCT ON (id) reporter, id, ends_at FROM unnest(taken, ends) AS s (id, ends_at)
                        ORDER BY id, ends_at DESC
                    ON CONFLICT (device_id, token_id) DO UPDATE SET
                        expires_at = greatest(present.expires_at, excluded.expires_at);
                IF changed = '{}' THEN RETURN; END IF;
                DELETE FROM sighting WHERE device_id = reporter AND token_id = ANY (no_longer);
                -- The device has said itself what it hears.
                UPDATE delivery SET assumed_until = NULL FROM pairs_heard(reporter, changed) AS pair
                    WHERE publication_id = pair.publication AND subscription_id = pair.subscription
                        AND assumed_until IS NOT NULL;
                SELECT s.* INTO woken, found_count, lost_count FROM (
                    SELECT array_agg(publication) AS p, array_agg(subscription) AS s FROM pairs_heard(reporter, changed)
                ) AS pairs, settle(pairs.p, pairs.s, t) AS s;
            END $$;
            """

        static let sweepFunctions = """
            -- Whether this call may sweep: one does at a time, on all nodes together.
            CREATE FUNCTION is_sweeper() RETURNS boolean LANGUAGE sql AS $$ SELECT pg_try_advisory_xact_lock(1, 2); $$;

            -- Notes that the service sweeps. After a crash of the database, which forgets sightings, and after a time in which no
            -- node swept, so that no device could report, what was found counts as near for a while.
            CREATE FUNCTION begin_sweep(lifetime bigint, fixed bigint) RETURNS boolean LANGUAGE plpgsql AS $$
            DECLARE t bigint := moment(fixed);
            BEGIN
                IF NOT is_sweeper() THEN RETURN false; END IF;
                UPDATE alive SET swept_at = greatest(swept_at, clock_timestamp()) WHERE swept_at > clock_timestamp() - interval '5 s';
                IF NOT FOUND THEN
                    UPDATE delivery SET assumed_until = t + lifetime WHERE is_found;
                    UPDATE presence SET reported_at = t;
                    INSERT INTO alive VALUES (1, clock_timestamp())
                        ON CONFLICT (id) DO UPDATE SET swept_at = excluded.swept_at;
                END IF;
                RETURN true;
            END $$;

            -- Ends devices with all that they have. The caller has locked them and the partners of their publications.
            CREATE FUNCTION end_devices(ended bigint[], t bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
                SELECT e.* INTO woken, found_count, lost_count FROM end_publications(ARRAY(
                    SELECT id FROM publication WHERE device_id = ANY (ended) AND ended_at IS NULL), t) AS e;
                PERFORM end_subscriptions(ARRAY(SELECT id FROM subscription WHERE device_id = ANY (ended)));
                DELETE FROM sighting WHERE device_id = ANY (ended);
                DELETE FROM presence WHERE device_id = ANY (ended);
                DELETE FROM device WHERE id = ANY (ended);
                -- Their own streams must end.
                woken := woken || ended;
            END $$;

            CREATE FUNCTION end_session(session bigint, fixed bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM lock_publications(ARRAY[session], ARRAY(
                    SELECT id FROM publication WHERE device_id = session AND ended_at IS NULL));
                SELECT e.* INTO woken, found_count, lost_count FROM end_devices(ARRAY[session], moment(fixed)) AS e;
            END $$;

            -- Ends the devices whose sessions have expired or whose keys are revoked.
            CREATE FUNCTION sweep_devices(
                maximum bigint, fixed bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            DECLARE
                t bigint := moment(fixed);
                due bigint[];
            BEGIN
                IF NOT is_sweeper() THEN RETURN; END IF;
                due := ARRAY(
                    SELECT id FROM device WHERE expires_at <= t
                    UNION
                    SELECT device.id FROM api_key JOIN device ON key_id = api_key.id WHERE revoked_at IS NOT NULL
                    LIMIT maximum);
                IF due = '{}' THEN RETURN; END IF;
                PERFORM lock_publications(due, ARRAY(
                    SELECT id FROM publication WHERE device_id = ANY (due) AND ended_at IS NULL));
                -- Those that were renewed before the lock stay.
                due := ARRAY(
                    SELECT device.id FROM device JOIN api_key ON api_key.id = key_id
                    WHERE device.id = ANY (due) AND (expires_at <= t OR revoked_at IS NOT NULL));
                SELECT e.* INTO woken, found_count, lost_count FROM end_devices(due, t) AS e;
            END $$;

            -- Ends the publications that have expired.
            CREATE FUNCTION sweep_publications(
                maximum bigint, fixed bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            DECLARE
                t bigint := moment(fixed);
                due bigint[];
            BEGIN
                IF NOT is_sweeper() THEN RETURN; END IF;
                due := ARRAY(SELECT id FROM publication WHERE ended_at IS NULL AND expires_at <= t LIMIT maximum);
                IF due = '{}' THEN RETURN; END IF;
                PERFORM lock_publications(ARRAY(SELECT device_id FROM publication WHERE id = ANY (due)), due);
                due := ARRAY(SELECT id FROM publication WHERE id = ANY (due) AND ended_at IS NULL AND expires_at <= t);
                SELECT e.* INTO woken, found_count, lost_count FROM end_publications(due, t) AS e;
            END $$;

            -- Ends the subscriptions that have expired.
            CREATE FUNCTION sweep_subscriptions(maximum bigint, fixed bigint) RETURNS void LANGUAGE plpgsql AS $$
            DECLARE
                t bigint := moment(fixed);
                due bigint[];
            BEGIN
                IF NOT is_sweeper() THEN RETURN; END IF;
                due := ARRAY(SELECT id FROM subscription WHERE expires_at <= t LIMIT maximum);
                IF due = '{}' THEN RETURN; END IF;
                PERFORM lock_devices(ARRAY(SELECT device_id FROM subscription WHERE id = ANY (due)));
                PERFORM end_subscriptions(ARRAY(SELECT id FROM subscription WHERE id = ANY (due) AND expires_at <= t));
            END $$;

            -- Ends the sightings of devices that are silent since `then`, and those that have expired; and what was near before a
            -- crash, if no device has said that it still is.
            CREATE FUNCTION sweep_sightings(
                maximum bigint, silence bigint, fixed bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            DECLARE
                t bigint := moment(fixed);
                silent bigint[];
                hearers bigint[];
                tokens bigint[];
                wanted bigint[];
                publications bigint[];
                subscriptions bigint[];
                more record;
            BEGIN
                IF NOT is_sweeper() THEN RETURN; END IF;
                silent := ARRAY(SELECT device_id FROM presence WHERE reported_at <= t - silence LIMIT maximum);
                SELECT array_agg(device_id), array_agg(token_id) INTO hearers, tokens FROM (
                    SELECT device_id, token_id FROM sighting WHERE device_id = ANY (silent)
                    UNION
                    (SELECT device_id, token_id FROM sighting WHERE expires_at <= t LIMIT maximum)
                ) AS due;
                SELECT array_agg(publication_id), array_agg(subscription_id) INTO publications, subscriptions FROM (
                    SELECT publication_id, subscription_id FROM delivery WHERE assumed_until <= t LIMIT maximum) AS due;
                IF hearers IS NULL AND publications IS NULL THEN
                    -- A report may arrive now, and then the device is not silent.
                    DELETE FROM presence WHERE device_id = ANY (silent) AND reported_at <= t - silence;
                    RETURN;
                END IF;
                wanted := hearers || owners(tokens)
                    || ARRAY(SELECT device_id FROM publication WHERE id = ANY (publications))
                    || ARRAY(SELECT device_id FROM subscription WHERE id = ANY (subscriptions));
                PERFORM lock_devices(wanted);
                -- Those that were prolonged before the lock stay.
                DELETE FROM presence WHERE device_id = ANY (silent) AND reported_at <= t - silence;
                silent := ARRAY(
                    SELECT id FROM unnest(silent) AS id
                    WHERE NOT EXISTS (SELECT FROM presence WHERE device_id = id));
                SELECT array_agg(hearer), array_agg(token) INTO hearers, tokens
                    FROM unnest(hearers, tokens) AS due (hearer, token)
                    JOIN sighting ON device_id = hearer AND token_id = token
                    WHERE expires_at <= t OR hearer = ANY (silent);
                UPDATE delivery SET assumed_until = NULL FROM unnest(publications, subscriptions) AS pair (p, s)
                    WHERE publication_id = p AND subscription_id = s AND assumed_until <= t;
                SELECT e.* INTO woken, found_count, lost_count FROM end_sightings(hearers, tokens, t) AS e;
                SELECT s.* INTO more FROM settle(publications, subscriptions, t) AS s;
                woken := woken || more.woken;
                found_count := found_count + more.found_count;
                lost_count := lost_count + more.lost_count;
            END $$;

            -- Counts the tables that have grown to twice what PostgreSQL knows of them. It then plans all statements anew; a plan
            -- made for a small table reads a wrong index, from end to end, until autovacuum comes by a minute later.
            CREATE FUNCTION refresh_plans() RETURNS void LANGUAGE plpgsql AS $$
            DECLARE grown name;
            BEGIN
                IF NOT is_sweeper() THEN RETURN; END IF;
                FOR grown IN SELECT relname FROM pg_class
                    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
                        AND pg_relation_size(oid) > (2 * relpages + 8) * current_setting('block_size')::bigint
                LOOP
                    EXECUTE format('ANALYZE %I', grown);
                END LOOP;
            END $$;

            -- Deletes items that ended longer ago than `memory`.
            CREATE FUNCTION forget(maximum bigint, memory bigint, fixed bigint) RETURNS void LANGUAGE plpgsql AS $$
            DECLARE
                t bigint := moment(fixed);
                old bigint := t - memory;
                due bigint[];
            BEGIN
                IF NOT is_sweeper() THEN RETURN; END IF;
                due := ARRAY(SELECT DISTINCT device_id FROM (
                    SELECT device_id FROM delivery WHERE NOT is_found AND changed_at < old LIMIT maximum) AS lost);
                IF due <> '{}' THEN
                    PERFORM lock_devices(due);
                    -- A stream that stopped before such a change cannot resume there.
                    WITH gone AS (
                        DELETE FROM delivery WHERE NOT is_found AND changed_at < old AND device_id = ANY (due)
                        RETURNING device_id, sequence
                    )
                    UPDATE device SET forgotten = greatest(forgotten, last.sequence)
                        FROM (SELECT device_id, max(sequence) AS sequence FROM gone GROUP BY device_id) AS last
                        WHERE device.id = last.device_id;
                END IF;
                DELETE FROM publication WHERE id IN (
                    SELECT id FROM publication WHERE ended_at < old
                        AND NOT EXISTS (SELECT FROM delivery WHERE publication_id = publication.id) LIMIT maximum);
                WITH gone AS (
                    DELETE FROM token WHERE id IN (SELECT id FROM token WHERE expires_at < old LIMIT maximum) RETURNING id
                )
                DELETE FROM sighting WHERE token_id IN (SELECT id FROM gone);
                DELETE FROM rate WHERE subject IN (
                    SELECT subject FROM rate WHERE full_at < t LIMIT maximum FOR UPDATE SKIP LOCKED);
            END $$;
            """

        // A node takes several requests of a bucket at once and spends them by itself: most requests then cost the database
        // nothing, and all nodes together never pass the limit.
        static let rateFunctions = """
            CREATE FUNCTION take_rate(
                owner text, wanted bigint, per_second double precision, burst double precision, fixed bigint,
                OUT granted bigint, OUT wait_seconds bigint) LANGUAGE plpgsql AS $$
            DECLARE
                t bigint;
                bucket rate%ROWTYPE;
            BEGIN
                INSERT INTO rate VALUES (owner, burst, moment(fixed), 0) ON CONFLICT DO NOTHING;
                SELECT * INTO bucket FROM rate WHERE subject = owner FOR UPDATE;
                -- The sweep has just deleted it: it was full.
                IF NOT FOUND THEN RAISE serialization_failure USING MESSAGE = 'a full bucket was forgotten'; END IF;
                t := greatest(moment(fixed), bucket.updated_at);
                bucket.level := least(burst, bucket.level + per_second * (t - bucket.updated_at) / 1000);
                granted := least(wanted, floor(bucket.level)::bigint);
                bucket.level := bucket.level - granted;
                IF granted = 0 THEN wait_seconds := ceil((1 - bucket.level) / per_second)::bigint; END IF;
                UPDATE rate SET level = bucket.level, updated_at = t,
                        full_at = least(t + (burst - bucket.level) / per_second * 1000, 9e15)::bigint
                    WHERE subject = owner;
            END $$;
            """
    }
#endif
