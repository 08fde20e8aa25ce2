#if Postgres
    extension PostgresSchema {
        static let publicationFunctions = """
            -- Extends a session.
            CREATE FUNCTION prolong(lessee bigint, expires bigint) RETURNS void LANGUAGE sql AS $$
                UPDATE device SET expires_at = greatest(expires_at, expires) WHERE id = lessee;
            $$;

            -- The current token of a publication or subscription, or the offered one once the current one is half its life old.
            CREATE FUNCTION issue(
                lessee bigint, project bigint, publication bigint, subscription bigint, offered bigint, life bigint, t bigint,
                OUT token bigint, OUT issued bigint, OUT token_expires bigint) LANGUAGE plpgsql AS $$
            BEGIN
                IF publication IS NOT NULL THEN
                    SELECT k.bytes, k.issued_at, k.expires_at INTO token, issued, token_expires
                        FROM token AS k WHERE publication_id = publication ORDER BY k.id DESC LIMIT 1;
                ELSE
                    SELECT k.bytes, k.issued_at, k.expires_at INTO token, issued, token_expires
                        FROM token AS k WHERE subscription_id = subscription ORDER BY k.id DESC LIMIT 1;
                END IF;
                IF issued + life / 2 > t THEN RETURN; END IF;
                token := offered;
                issued := t;
                token_expires := t + life;
                INSERT INTO token (project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at)
                    VALUES (project, token, lessee, publication, subscription, issued, token_expires);
            END $$;

            -- Publishes, or renews the publication of an earlier order with the same key for repetitions.
            CREATE FUNCTION publish(
                publisher bigint, key bigint, project bigint, name text, repeat_key text, space text, kind text,
                content_bytes bytea, lifetime bigint, session_lifetime bigint, per_device bigint, per_key bigint,
                offered bigint, token_life bigint, fixed bigint,
                OUT problem text, OUT item bigint, OUT item_name text, OUT item_expires bigint, OUT token bigint,
                OUT issued bigint, OUT token_expires bigint, OUT is_new boolean, OUT woken bigint[], OUT found_count bigint,
                OUT lost_count bigint) LANGUAGE plpgsql AS $$
            DECLARE
                t bigint;
                earlier publication%ROWTYPE;
                earlier_id bigint := (
                    SELECT id FROM publication WHERE device_id = publisher AND idempotency_key = repeat_key
                        AND ended_at IS NULL);
            BEGIN
                PERFORM lock_publications(ARRAY[publisher], ARRAY[earlier_id]);
                t := moment(fixed);
                IF NOT EXISTS (SELECT FROM device WHERE id = publisher) THEN problem := 'session'; RETURN; END IF;
                SELECT * INTO earlier FROM publication WHERE device_id = publisher AND idempotency_key = repeat_key
                    AND ended_at IS NULL;
                IF earlier.id IS DISTINCT FROM earlier_id THEN
                    RAISE serialization_failure USING MESSAGE = 'the same order at the same time';
                END IF;
                is_new := earlier.id IS NULL;
                IF is_new THEN
                    IF (SELECT count(*) FROM publication WHERE device_id = publisher AND ended_at IS NULL AND expires_at > t)
                            >= per_device THEN
                        problem := 'device';
                        RETURN;
                    END IF;
                    IF NOT has_room(key, 'publications', per_key) THEN problem := 'key'; RETURN; END IF;
                    INSERT INTO publication (identifier, device_id, key_id, project_id, idempotency_key, namespace, type,
                            expires_at, content_count, content)
                        VALUES (name, publisher, key, project, repeat_key, space, kind, t + lifetime,
                            length(content_bytes), content_bytes)
                        RETURNING id, identifier, expires_at INTO item, item_name, item_expires;
                ELSE
                    IF (earlier.namespace, earlier.type, earlier.content) IS DISTINCT FROM (space, kind, content_bytes) THEN
                        problem := 'differs';
                        RETURN;
                    END IF;
                    UPDATE publication SET expires_at = t + lifetime WHERE id = earlier.id
                        RETURNING id, identifier, expires_at INTO item, item_name, item_expires;
                END IF;
                PERFORM prolong(publisher, t + session_lifetime);
                SELECT i.* INTO token, issued, token_expires
                    FROM issue(publisher, project, item, NULL, offered, token_life, t) AS i;
                -- The device may hear subscriptions; and an expired publication that was not swept yet lives again.
                SELECT s.* INTO woken, found_count, lost_count FROM (
                    SELECT array_agg(pair.p) AS p, array_agg(pair.s) AS s FROM (
                        SELECT item AS p, token.subscription_id AS s FROM sighting JOIN token ON token.id = token_id
                            WHERE sighting.device_id = publisher AND token.subscription_id IS NOT NULL
                        UNION ALL
                        SELECT item, subscription.id FROM token JOIN sighting ON token_id = token.id
                            JOIN subscription ON subscription.device_id = sighting.device_id
                            WHERE token.publication_id = item
                    ) AS pair
                ) AS pairs, settle(pairs.p, pairs.s, t) AS s;
            END $$;

            CREATE FUNCTION renew_publication(
                publisher bigint, project bigint, name text, lifetime bigint, session_lifetime bigint, offered bigint,
                token_life bigint, fixed bigint,
                OUT problem text, OUT item bigint, OUT space text, OUT kind text, OUT content_count bigint,
                OUT item_expires bigint, OUT token bigint, OUT issued bigint, OUT token_expires bigint)
            LANGUAGE plpgsql AS $$
            DECLARE t bigint;
            BEGIN
                PERFORM pg_advisory_xact_lock(publisher);
                t := moment(fixed);
                IF NOT EXISTS (SELECT FROM device WHERE id = publisher) THEN problem := 'session'; RETURN; END IF;
                UPDATE publication AS p SET expires_at = t + lifetime
                    WHERE identifier = name AND device_id = publisher AND ended_at IS NULL AND expires_at > t
                    RETURNING p.id, p.namespace, p.type, p.content_count, p.expires_at
                    INTO item, space, kind, content_count, item_expires;
                IF item IS NULL THEN problem := 'none'; RETURN; END IF;
                PERFORM prolong(publisher, t + session_lifetime);
                SELECT i.* INTO token, issued, token_expires
                    FROM issue(publisher, project, item, NULL, offered, token_life, t) AS i;
            END $$;

            -- Ends publications. Those that found them lose them. The caller has locked their devices and partners.
            CREATE FUNCTION end_publications(items bigint[], t bigint, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
                DELETE FROM publication WHERE id = ANY (items) AND ended_at IS NULL
                    AND NOT EXISTS (SELECT FROM delivery WHERE publication_id = publication.id);
                -- Its row stays while a subscriber may still read that it was lost.
                UPDATE publication SET ended_at = t WHERE id = ANY (items) AND ended_at IS NULL;
                SELECT s.* INTO woken, found_count, lost_count FROM (
                    SELECT array_agg(publication_id) AS p, array_agg(subscription_id) AS s
                        FROM delivery WHERE publication_id = ANY (items)
                ) AS pairs, settle(pairs.p, pairs.s, t) AS s;
            END $$;

            CREATE FUNCTION unpublish(
                publisher bigint, name text, fixed bigint,
                OUT problem text, OUT woken bigint[], OUT found_count bigint, OUT lost_count bigint) LANGUAGE plpgsql AS $$
            DECLARE
                t bigint;
                item bigint := (SELECT id FROM publication WHERE identifier = name AND device_id = publisher);
            BEGIN
                PERFORM lock_publications(ARRAY[publisher], ARRAY[item]);
                t := moment(fixed);
                IF NOT EXISTS (SELECT FROM publication WHERE id = item AND ended_at IS NULL AND expires_at > t) THEN
                    problem := 'none';
                    RETURN;
                END IF;
                SELECT e.* INTO woken, found_count, lost_count FROM end_publications(ARRAY[item], t) AS e;
            END $$;
            """

        static let subscriptionFunctions = """
            CREATE FUNCTION subscribe(
                subscriber bigint, key bigint, project bigint, name text, repeat_key text, space text, kind text,
                lifetime bigint, session_lifetime bigint, per_device bigint, per_key bigint, offered bigint,
                token_life bigint, fixed bigint,
                OUT problem text, OUT item bigint, OUT item_name text, OUT item_expires bigint, OUT token bigint,
                OUT issued bigint, OUT token_expires bigint, OUT is_new boolean, OUT woken bigint[], OUT found_count bigint,
                OUT lost_count bigint) LANGUAGE plpgsql AS $$
            DECLARE
                t bigint;
                earlier subscription%ROWTYPE;
                earlier_id bigint := (
                    SELECT id FROM subscription WHERE device_id = subscriber AND idempotency_key = repeat_key);
            BEGIN
                PERFORM lock_subscriptions(ARRAY[subscriber], ARRAY[earlier_id]);
                t := moment(fixed);
                IF NOT EXISTS (SELECT FROM device WHERE id = subscriber) THEN problem := 'session'; RETURN; END IF;
                SELECT * INTO earlier FROM subscription WHERE device_id = subscriber AND idempotency_key = repeat_key;
                IF earlier.id IS DISTINCT FROM earlier_id THEN
                    RAISE serialization_failure USING MESSAGE = 'the same order at the same time';
                END IF;
                is_new := earlier.id IS NULL;
                IF is_new THEN
                    IF (SELECT count(*) FROM subscription WHERE device_id = subscriber AND expires_at > t) >= per_device THEN
                        problem := 'device';
                        RETURN;
                    END IF;
                    IF NOT has_room(key, 'subscriptions', per_key) THEN problem := 'key'; RETURN; END IF;
                    INSERT INTO subscription (identifier, device_id, key_id, project_id, idempotency_key, namespace, type,
                            expires_at)
                        VALUES (name, subscriber, key, project, repeat_key, space, kind, t + lifetime)
                        RETURNING id, identifier, expires_at INTO item, item_name, item_expires;
                ELSE
                    IF (earlier.namespace, earlier.type) IS DISTINCT FROM (space, kind) THEN
                        problem := 'differs';
                        RETURN;
                    END IF;
                    UPDATE subscription SET expires_at = t + lifetime WHERE id = earlier.id
                        RETURNING id, identifier, expires_at INTO item, item_name, item_expires;
                END IF;
                PERFORM prolong(subscriber, t + session_lifetime);
                SELECT i.* INTO token, issued, token_expires
                    FROM issue(subscriber, project, NULL, item, offered, token_life, t) AS i;
                -- The device may already hear publications; and an expired subscription that was not swept yet lives again.
                SELECT s.* INTO woken, found_count, lost_count FROM (
                    SELECT array_agg(pair.p) AS p, array_agg(pair.s) AS s FROM (
                        SELECT token.publication_id AS p, item AS s FROM sighting JOIN token ON token.id = token_id
                            WHERE sighting.device_id = subscriber AND token.publication_id IS NOT NULL
                        UNION ALL
                        SELECT publication.id, item FROM token JOIN sighting ON token_id = token.id
                            JOIN publication ON publication.device_id = sighting.device_id AND ended_at IS NULL
                            WHERE token.subscription_id = item
                    ) AS pair
                ) AS pairs, settle(pairs.p, pairs.s, t) AS s;
            END $$;

            CREATE FUNCTION renew_subscription(
                subscriber bigint, project bigint, name text, lifetime bigint, session_lifetime bigint, offered bigint,
                token_life bigint, fixed bigint,
                OUT problem text, OUT item bigint, OUT space text, OUT kind text, OUT item_expires bigint,
                OUT token bigint, OUT issued bigint, OUT token_expires bigint) LANGUAGE plpgsql AS $$
            DECLARE t bigint;
            BEGIN
                PERFORM pg_advisory_xact_lock(subscriber);
                t := moment(fixed);
                IF NOT EXISTS (SELECT FROM device WHERE id = subscriber) THEN problem := 'session'; RETURN; END IF;
                UPDATE subscription AS s SET expires_at = t + lifetime
                    WHERE identifier = name AND device_id = subscriber AND expires_at > t
                    RETURNING s.id, s.namespace, s.type, s.expires_at INTO item, space, kind, item_expires;
                IF item IS NULL THEN problem := 'none'; RETURN; END IF;
                PERFORM prolong(subscriber, t + session_lifetime);
                SELECT i.* INTO token, issued, token_expires
                    FROM issue(subscriber, project, NULL, item, offered, token_life, t) AS i;
            END $$;

            -- Ends subscriptions. Nobody has to learn of it. The caller has locked their devices.
            CREATE FUNCTION end_subscriptions(items bigint[]) RETURNS void LANGUAGE sql AS $$
                DELETE FROM delivery WHERE subscription_id = ANY (items);
                DELETE FROM subscription WHERE id = ANY (items);
            $$;

            -- Whether the device had such a subscription.
            CREATE FUNCTION unsubscribe(subscriber bigint, name text, fixed bigint) RETURNS boolean LANGUAGE plpgsql AS $$
            DECLARE item bigint;
            BEGIN
                PERFORM pg_advisory_xact_lock(subscriber);
                item := (SELECT id FROM subscription
                    WHERE identifier = name AND device_id = subscriber AND expires_at > moment(fixed));
                PERFORM end_subscriptions(ARRAY[item]);
                RETURN item IS NOT NULL;
            END $$;
            """
    }
#endif
