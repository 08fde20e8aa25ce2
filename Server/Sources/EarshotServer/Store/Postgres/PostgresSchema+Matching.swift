#if Postgres
    extension PostgresSchema {
        // The match of messages and subscriptions, by the same rules as in `Live+Matching.swift`.
        //
        // Calls run at the same time, on any node. A call locks the devices whose pairs it may change, in the order of their
        // numbers, before it reads what it decides on. Both devices of a pair are locked when the pair is judged; so no two
        // calls judge it at once, and none waits in a circle. The locks are advisory: unlike locks of rows they write nothing.
        // They end with the transaction, after the commit is visible.
        static let matchingFunctions = """
            -- The time: the tests' clock if they give one, otherwise the database's.
            CREATE FUNCTION moment(fixed bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$
                SELECT coalesce(fixed, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
            $$;

            CREATE FUNCTION lock_devices(devices bigint[]) RETURNS void LANGUAGE plpgsql AS $$
            DECLARE device bigint;
            BEGIN
                FOR device IN SELECT DISTINCT d FROM unnest(devices) AS d WHERE d IS NOT NULL ORDER BY d LOOP
                    PERFORM pg_advisory_xact_lock(device);
                END LOOP;
            END $$;

            -- The other devices of the pairs of a publication: they hear its tokens, it hears theirs, or they found it.
            CREATE FUNCTION publication_partners(publishers bigint[], publications bigint[]) RETURNS bigint[]
            LANGUAGE sql STABLE AS $$
                SELECT coalesce(array_agg(DISTINCT device_id), '{}') FROM (
                    SELECT token.device_id FROM sighting JOIN token ON token.id = token_id
                        WHERE sighting.device_id = ANY (publishers) AND subscription_id IS NOT NULL
                    UNION ALL
                    SELECT sighting.device_id FROM token JOIN sighting ON token_id = token.id
                        WHERE publication_id = ANY (publications)
                    UNION ALL
                    SELECT device_id FROM delivery WHERE publication_id = ANY (publications)
                ) AS partner;
            $$;

            CREATE FUNCTION subscription_partners(subscribers bigint[], subscriptions bigint[]) RETURNS bigint[]
            LANGUAGE sql STABLE AS $$
                SELECT coalesce(array_agg(DISTINCT device_id), '{}') FROM (
                    SELECT token.device_id FROM sighting JOIN token ON token.id = token_id
                        WHERE sighting.device_id = ANY (subscribers) AND publication_id IS NOT NULL
                    UNION ALL
                    SELECT sighting.device_id FROM token JOIN sighting ON token_id = token.id
                        WHERE subscription_id = ANY (subscriptions)
                ) AS partner;
            $$;

            -- The owners of the tokens.
            CREATE FUNCTION owners(tokens bigint[]) RETURNS bigint[] LANGUAGE sql STABLE AS $$
                SELECT coalesce(array_agg(DISTINCT device_id), '{}') FROM token WHERE id = ANY (tokens);
            $$;

            -- Locks publishers with the partners of their publications. If those change meanwhile, the caller begins anew.
            CREATE FUNCTION lock_publications(publishers bigint[], publications bigint[]) RETURNS void
            LANGUAGE plpgsql AS $$
            DECLARE wanted bigint[] := publishers || publication_partners(publishers, publications);
            BEGIN
                PERFORM lock_devices(wanted);
                IF NOT publication_partners(publishers, publications) <@ wanted THEN
                    RAISE serialization_failure USING MESSAGE = 'the partners of a publication changed';
                END IF;
            END $$;

            CREATE FUNCTION lock_subscriptions(subscribers bigint[], subscriptions bigint[]) RETURNS void
            LANGUAGE plpgsql AS $$
            DECLARE wanted bigint[] := subscribers || subscription_partners(subscribers, subscriptions);
            BEGIN
                PERFORM lock_devices(wanted);
                IF NOT subscription_partners(subscribers, subscriptions) <@ wanted THEN
                    RAISE serialization_failure USING MESSAGE = 'the partners of a subscription changed';
                END IF;
            END $$;

            -- The pairs that may be near because a device hears the tokens.
            CREATE FUNCTION pairs_heard(hearer bigint, tokens bigint[])
            RETURNS TABLE (publication bigint, subscription bigint) LANGUAGE sql STABLE AS $$
                SELECT token.publication_id, subscription.id
                    FROM token JOIN subscription ON subscription.device_id = hearer
                    WHERE token.id = ANY (tokens) AND token.publication_id IS NOT NULL
                UNION ALL
                SELECT publication.id, token.subscription_id
                    FROM token JOIN publication ON publication.device_id = hearer AND ended_at IS NULL
                    WHERE token.id = ANY (tokens) AND token.subscription_id IS NOT NULL;
            $$;

            -- The same for several devices: the devices and tokens stand side by side.
            CREATE FUNCTION all_pairs_heard(hearers bigint[], tokens bigint[])
            RETURNS TABLE (publication bigint, subscription bigint) LANGUAGE sql STABLE AS $$
                SELECT token.publication_id, subscription.id
                    FROM unnest(hearers, tokens) AS heard (hearer, token_id)
                    JOIN token ON token.id = heard.token_id AND token.publication_id IS NOT NULL
                    JOIN subscription ON subscription.device_id = heard.hearer
                UNION ALL
                SELECT publication.id, token.subscription_id
                    FROM unnest(hearers, tokens) AS heard (hearer, token_id)
                    JOIN token ON token.id = heard.token_id AND token.subscription_id IS NOT NULL
                    JOIN publication ON publication.device_id = heard.hearer AND ended_at IS NULL;
            $$;

            -- Judges pairs, and finds and loses those whose rows say otherwise. The caller has locked their devices.
            CREATE FUNCTION settle(
                publications bigint[], subscriptions bigint[], t bigint,
                OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint) LANGUAGE plpgsql AS $$
            BEGIN
                woken := '{}';
                found_count := 0;
                lost_count := 0;
                IF publications IS NULL THEN RETURN; END IF;
                WITH pair AS (
                    SELECT DISTINCT p, s FROM unnest(publications, subscriptions) AS pair (p, s)
                ), judged AS (
                    SELECT pair.p, pair.s, subscription.device_id AS device, coalesce(delivery.is_found, false) AS was_near,
                        coalesce(
                            publication.ended_at IS NULL AND publication.expires_at > t AND subscription.expires_at > t
                            AND publication.project_id = subscription.project_id
                            AND publication.device_id <> subscription.device_id
                            AND publication.namespace = subscription.namespace
                            AND subscription.type IN ('', publication.type)
                            AND (
                                coalesce(delivery.assumed_until > t, false)
                                OR EXISTS (
                                    SELECT FROM token JOIN sighting ON token_id = token.id
                                    WHERE token.publication_id = publication.id
                                        AND sighting.device_id = subscription.device_id AND sighting.expires_at > t)
                                OR EXISTS (
                                    SELECT FROM token JOIN sighting ON token_id = token.id
                                    WHERE token.subscription_id = subscription.id
                                        AND sighting.device_id = publication.device_id AND sighting.expires_at > t)
                            ), false) AS is_near
                    FROM pair JOIN subscription ON subscription.id = pair.s
                        LEFT JOIN publication ON publication.id = pair.p
                        LEFT JOIN delivery ON delivery.subscription_id = pair.s AND delivery.publication_id = pair.p
                ), changed AS (
                    SELECT *, row_number() OVER (PARTITION BY device ORDER BY p, s) AS place
                    FROM judged WHERE is_near <> was_near
                ), counted AS (
                    UPDATE device SET sequence = sequence + change.count
                    FROM (SELECT device, count(*) FROM changed GROUP BY device) AS change
                    WHERE device.id = change.device
                    RETURNING device.id, device.sequence - change.count AS base
                ), written AS (
                    INSERT INTO delivery (subscription_id, publication_id, device_id, is_found, sequence, changed_at)
                    SELECT s, p, device, is_near, base + place, t FROM changed JOIN counted ON counted.id = device
                    ON CONFLICT (subscription_id, publication_id) DO UPDATE SET is_found = excluded.is_found,
                        sequence = excluded.sequence, changed_at = excluded.changed_at, assumed_until = NULL
                    RETURNING device_id, is_found
                )
                SELECT coalesce(array_agg(DISTINCT device_id), '{}'), count(*) FILTER (WHERE is_found),
                    count(*) FILTER (WHERE NOT is_found) INTO woken, found_count, lost_count FROM written;
            END $$;
            """

        // Limits of a key hold over all nodes. Far from a limit, orders go on beside each other: the lock that they share only
        // says that they are under way. Near it, one goes after the other, when those under way have ended.
        static let roomFunctions = """
            CREATE FUNCTION used(key bigint, kind text) RETURNS bigint LANGUAGE sql STABLE AS $$
                SELECT coalesce(sum(CASE kind
                    WHEN 'devices' THEN devices WHEN 'publications' THEN publications ELSE subscriptions END), 0)::bigint
                FROM usage WHERE key_id = key;
            $$;

            -- Whether a key has room for one more item. More than 500 calls at once would be needed to pass a limit, and
            -- PostgreSQL takes 100 connections unless told otherwise.
            CREATE FUNCTION has_room(key bigint, kind text, maximum bigint) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                IF used(key, kind) < maximum - 1000 THEN
                    PERFORM pg_advisory_xact_lock_shared(2, key::integer);
                    IF used(key, kind) >= maximum - 500 THEN
                        RAISE serialization_failure USING MESSAGE = 'the key came near its limit';
                    END IF;
                    RETURN true;
                END IF;
                PERFORM pg_advisory_xact_lock(2, key::integer);
                RETURN used(key, kind) < maximum;
            END $$;

            CREATE FUNCTION count_usage(key bigint, device bigint, d bigint, p bigint, s bigint) RETURNS void
            LANGUAGE sql AS $$
                INSERT INTO usage (key_id, slot, devices, publications, subscriptions)
                VALUES (key, device % 16, d, p, s)
                ON CONFLICT (key_id, slot) DO UPDATE SET devices = usage.devices + excluded.devices,
                    publications = usage.publications + excluded.publications,
                    subscriptions = usage.subscriptions + excluded.subscriptions;
            $$;

            CREATE FUNCTION count_device() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    PERFORM count_usage(NEW.key_id, NEW.id, 1, 0, 0);
                ELSE
                    PERFORM count_usage(OLD.key_id, OLD.id, -1, 0, 0);
                END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER device_counted AFTER INSERT OR DELETE ON device
                FOR EACH ROW EXECUTE FUNCTION count_device();

            CREATE FUNCTION count_publication() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    PERFORM count_usage(NEW.key_id, NEW.device_id, 0, 1, 0);
                ELSIF OLD.ended_at IS NULL THEN
                    PERFORM count_usage(OLD.key_id, OLD.device_id, 0, -1, 0);
                END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER publication_counted AFTER INSERT OR DELETE OR UPDATE OF ended_at ON publication
                FOR EACH ROW EXECUTE FUNCTION count_publication();

            CREATE FUNCTION count_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    PERFORM count_usage(NEW.key_id, NEW.device_id, 0, 0, 1);
                ELSE
                    PERFORM count_usage(OLD.key_id, OLD.device_id, 0, 0, -1);
                END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER subscription_counted AFTER INSERT OR DELETE ON subscription
                FOR EACH ROW EXECUTE FUNCTION count_subscription();

            -- A session; no row if the key has no room for it.
            CREATE FUNCTION open_session(
                key bigint, project bigint, public_name text, secret bytea, lifetime bigint, maximum bigint, fixed bigint)
            RETURNS TABLE (device bigint, expires bigint) LANGUAGE plpgsql AS $$
            BEGIN
                IF NOT has_room(key, 'devices', maximum) THEN RETURN; END IF;
                RETURN QUERY INSERT INTO device AS d (identifier, key_id, project_id, hash, expires_at)
                    VALUES (public_name, key, project, secret, moment(fixed) + lifetime) RETURNING d.id, d.expires_at;
            END $$;
            """
    }
#endif
