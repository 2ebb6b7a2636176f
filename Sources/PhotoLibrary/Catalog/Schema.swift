internal import SQLite

/// The catalogue's tables.
///
/// Times are nanoseconds since 1970 UTC. A node is an inode of the mounted tree; its row number is the inode number,
/// never used again (AUTOINCREMENT), so that the kernel's and a client's idea of a file stay true across remounts.
enum Schema {
    static let migrator = Migrator([
        Migrator.Step(
            "1-tree-assets-authorization",
            """
            CREATE TABLE setting (
                name TEXT PRIMARY KEY,
                value NOT NULL
            ) WITHOUT ROWID;

            CREATE TABLE asset (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                identifier TEXT NOT NULL UNIQUE,
                media_type INTEGER NOT NULL,
                subtypes INTEGER NOT NULL,
                width INTEGER NOT NULL,
                height INTEGER NOT NULL,
                orientation INTEGER NOT NULL,
                duration INTEGER,             -- milliseconds
                captured INTEGER NOT NULL,
                captured_offset INTEGER NOT NULL, -- seconds east of UTC
                captured_source INTEGER NOT NULL,
                captured_evidence INTEGER,    -- the instant by the file's own word, local time where it has no zone
                day INTEGER NOT NULL,         -- yyyymmdd in the capture's own local time
                latitude REAL, longitude REAL, altitude REAL,
                make TEXT, model TEXT, lens TEXT,
                content_identifier TEXT,
                favorite INTEGER NOT NULL DEFAULT 0,
                hidden INTEGER NOT NULL DEFAULT 0,
                caption TEXT,
                rating INTEGER,
                added_at INTEGER NOT NULL,
                modified_at INTEGER NOT NULL,
                trashed_at INTEGER,
                client TEXT NOT NULL
            );
            CREATE INDEX asset_by_day ON asset (day, id) WHERE trashed_at IS NULL;
            CREATE INDEX asset_by_addition ON asset (added_at, id) WHERE trashed_at IS NULL;
            CREATE INDEX asset_in_trash ON asset (trashed_at, id) WHERE trashed_at IS NOT NULL;

            CREATE TABLE resource (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                asset INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
                type INTEGER NOT NULL,        -- PHAssetResourceType
                version INTEGER NOT NULL,     -- 0 the original, then one for each edit
                file TEXT NOT NULL UNIQUE,    -- relative to the library
                size INTEGER NOT NULL,
                blocks INTEGER NOT NULL,      -- of 512 bytes
                digest BLOB NOT NULL,         -- SHA-256
                uniform_type TEXT NOT NULL,
                kind TEXT NOT NULL,
                filename TEXT NOT NULL,
                UNIQUE (asset, type, version)
            );
            CREATE INDEX resource_by_digest ON resource (digest);

            CREATE TABLE node (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                kind INTEGER NOT NULL,
                room INTEGER NOT NULL,        -- of a directory: what its tree is for
                mode INTEGER NOT NULL,
                uid INTEGER NOT NULL,
                gid INTEGER NOT NULL,
                links INTEGER NOT NULL,
                size INTEGER NOT NULL DEFAULT 0,
                blocks INTEGER NOT NULL DEFAULT 0,
                device INTEGER NOT NULL DEFAULT 0,
                accessed INTEGER,
                modified INTEGER,             -- as a client set it
                changed INTEGER NOT NULL,
                captured INTEGER,             -- of an asset: what modified falls back to
                file TEXT,                    -- relative to the library
                target BLOB,                  -- of a symbolic link
                asset INTEGER REFERENCES asset (id),
                display_name TEXT,
                reason TEXT,                  -- why a pending file is no asset
                client TEXT
            );
            CREATE UNIQUE INDEX node_by_display_name ON node (display_name) WHERE display_name IS NOT NULL;
            CREATE INDEX node_by_asset ON node (asset) WHERE asset IS NOT NULL;
            CREATE INDEX node_by_file ON node (file) WHERE file IS NOT NULL AND asset IS NULL;

            CREATE TABLE dentry (
                id INTEGER PRIMARY KEY AUTOINCREMENT, -- the directory cookie
                parent INTEGER NOT NULL REFERENCES node (id),
                name TEXT NOT NULL,
                node INTEGER NOT NULL REFERENCES node (id)
            );
            CREATE UNIQUE INDEX dentry_by_name ON dentry (parent, name);
            CREATE INDEX dentry_listing ON dentry (parent, id);
            CREATE INDEX dentry_by_node ON dentry (node);

            CREATE TABLE trashed_name (
                node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
                directory TEXT NOT NULL,      -- path below the root, as it was
                name TEXT NOT NULL,
                PRIMARY KEY (node, directory, name)
            ) WITHOUT ROWID;

            CREATE TABLE extended_attribute (
                node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                value BLOB NOT NULL,
                PRIMARY KEY (node, name)
            ) WITHOUT ROWID;

            CREATE TABLE doomed_file (
                file TEXT PRIMARY KEY         -- to be removed from the disk: nothing names it any more
            ) WITHOUT ROWID;

            CREATE TABLE authorization (
                client TEXT NOT NULL,
                level INTEGER NOT NULL,       -- PHAccessLevel
                status INTEGER NOT NULL,      -- PHAuthorizationStatus
                changed_at INTEGER NOT NULL,
                PRIMARY KEY (client, level)
            ) WITHOUT ROWID;

            CREATE TABLE authorization_selection (
                client TEXT NOT NULL,
                asset INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
                PRIMARY KEY (client, asset)
            ) WITHOUT ROWID;
            """),
        Migrator.Step(
            "2-names-of-clients-authorization-requests",
            """
            -- Who made the name, where that is not who made the node.
            ALTER TABLE dentry ADD COLUMN client TEXT;
            -- The name that its maker chose, where that was taken by one that the maker may not see.
            ALTER TABLE dentry ADD COLUMN chosen TEXT;
            CREATE INDEX dentry_by_client ON dentry (client) WHERE client IS NOT NULL;
            CREATE INDEX dentry_by_choice ON dentry (parent, chosen) WHERE chosen IS NOT NULL;
            CREATE INDEX node_by_client ON node (client);
            CREATE INDEX asset_by_client ON asset (client);

            CREATE TABLE authorization_request (
                client TEXT PRIMARY KEY,      -- the user
                program TEXT,
                level INTEGER NOT NULL,       -- PHAccessLevel
                operation TEXT NOT NULL,
                path TEXT NOT NULL,
                asked_at INTEGER NOT NULL,
                count INTEGER NOT NULL
            ) WITHOUT ROWID;
            """),
        Migrator.Step(
            "3-albums-keywords",
            """
            CREATE TABLE album (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                identifier TEXT NOT NULL UNIQUE,
                parent INTEGER NOT NULL,      -- 0 at the top
                name TEXT NOT NULL,
                modified_at INTEGER NOT NULL,
                client TEXT
            );
            CREATE UNIQUE INDEX album_by_name ON album (parent, name);

            CREATE TABLE album_entry (
                id INTEGER PRIMARY KEY AUTOINCREMENT, -- the directory cookie
                album INTEGER NOT NULL REFERENCES album (id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                asset INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE
            );
            CREATE UNIQUE INDEX album_entry_by_name ON album_entry (album, name);
            CREATE INDEX album_entry_listing ON album_entry (album, id);
            CREATE INDEX album_entry_by_asset ON album_entry (asset);

            CREATE TABLE keyword (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL UNIQUE
            );
            CREATE TABLE asset_keyword (
                keyword INTEGER NOT NULL REFERENCES keyword (id) ON DELETE CASCADE,
                asset INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
                PRIMARY KEY (keyword, asset)
            ) WITHOUT ROWID;
            CREATE INDEX asset_keyword_by_asset ON asset_keyword (asset);

            -- What is to become of files that were made in a view, once they are assets.
            CREATE TABLE placement (
                kind INTEGER NOT NULL,
                key INTEGER NOT NULL,
                name TEXT NOT NULL,
                node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
                PRIMARY KEY (kind, key, name)
            ) WITHOUT ROWID;
            CREATE INDEX placement_by_node ON placement (node);
            -- A name that the library gave a file made in a view: not its maker's choice.
            ALTER TABLE dentry ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;

            CREATE INDEX resource_of_edits ON resource (asset) WHERE version > 0;
            CREATE INDEX asset_by_favorite ON asset (id) WHERE favorite <> 0;
            CREATE INDEX asset_by_hidden ON asset (id) WHERE hidden <> 0;
            """),
        Migrator.Step(
            "4-search",
            """
            -- What words are looked for in: names, caption, keywords, albums, camera. Trigrams find parts of words.
            CREATE VIRTUAL TABLE asset_text USING fts5 (text, tokenize = 'trigram');
            -- Where assets were taken; both sides of a rectangle are the same place.
            CREATE VIRTUAL TABLE asset_place USING rtree (id, south, north, west, east);
            -- Assets that the two do not describe as they are; a search brings them up to date first. The triggers below
            -- write here alone: a catalogue from elsewhere must not make its reader call into virtual tables.
            CREATE TABLE stale_index (asset INTEGER PRIMARY KEY);
            INSERT INTO stale_index SELECT id FROM asset;

            CREATE TRIGGER index_of_asset AFTER UPDATE OF caption, make, model, latitude, longitude ON asset BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (NEW.id);
            END;
            CREATE TRIGGER index_of_node AFTER UPDATE OF asset, display_name ON node WHEN NEW.asset IS NOT NULL BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (NEW.asset);
            END;
            CREATE TRIGGER index_of_new_name AFTER INSERT ON dentry BEGIN
                INSERT OR IGNORE INTO stale_index SELECT asset FROM node WHERE id = NEW.node AND asset IS NOT NULL;
            END;
            CREATE TRIGGER index_of_changed_name AFTER UPDATE ON dentry BEGIN
                INSERT OR IGNORE INTO stale_index
                    SELECT asset FROM node WHERE id IN (NEW.node, OLD.node) AND asset IS NOT NULL;
            END;
            CREATE TRIGGER index_of_lost_name AFTER DELETE ON dentry BEGIN
                INSERT OR IGNORE INTO stale_index SELECT asset FROM node WHERE id = OLD.node AND asset IS NOT NULL;
            END;
            CREATE TRIGGER index_of_keyword AFTER INSERT ON asset_keyword BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (NEW.asset);
            END;
            CREATE TRIGGER index_of_lost_keyword AFTER DELETE ON asset_keyword BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (OLD.asset);
            END;
            CREATE TRIGGER index_of_renamed_keyword AFTER UPDATE OF name ON keyword BEGIN
                INSERT OR IGNORE INTO stale_index SELECT asset FROM asset_keyword WHERE keyword = NEW.id;
            END;
            CREATE TRIGGER index_of_album AFTER INSERT ON album_entry BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (NEW.asset);
            END;
            CREATE TRIGGER index_of_changed_album AFTER UPDATE ON album_entry BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (NEW.asset), (OLD.asset);
            END;
            CREATE TRIGGER index_of_lost_album AFTER DELETE ON album_entry BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (OLD.asset);
            END;
            CREATE TRIGGER index_of_renamed_album AFTER UPDATE OF name ON album BEGIN
                INSERT OR IGNORE INTO stale_index SELECT asset FROM album_entry WHERE album = NEW.id;
            END;
            CREATE TRIGGER index_of_new_asset AFTER INSERT ON asset BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (NEW.id);
            END;
            CREATE TRIGGER index_of_lost_asset AFTER DELETE ON asset BEGIN
                INSERT OR IGNORE INTO stale_index VALUES (OLD.id);
            END;
            """),
        Migrator.Step(
            "thumbnails",
            """
            -- What was made of some bytes goes with the last version that has them. Names as ThumbnailFiles makes them.
            CREATE TRIGGER thumbnail_of_lost_version AFTER DELETE ON resource
            WHEN NOT EXISTS (SELECT 1 FROM resource WHERE digest = OLD.digest) BEGIN
                INSERT OR IGNORE INTO doomed_file
                    SELECT 'thumbnails/' || lower(substr(hex(OLD.digest), 1, 2)) || '/' || lower(hex(OLD.digest)) || ending
                    FROM (SELECT '.jpg' AS ending UNION ALL SELECT '.failed');
            END;
            """),
        Migrator.Step(
            "pairs",
            """
            -- The asset that this row's file is a further resource of, and which (PHAssetResourceType): the movie of a Live
            -- Photo, the RAW beside a JPEG.
            ALTER TABLE asset ADD COLUMN primary_asset INTEGER;
            ALTER TABLE asset ADD COLUMN pairing INTEGER;
            CREATE INDEX asset_by_primary ON asset (primary_asset) WHERE primary_asset IS NOT NULL;
            CREATE INDEX asset_by_content_identifier ON asset (content_identifier) WHERE content_identifier IS NOT NULL;
            -- Assets about which something changed that decides what they belong to; empty after each transaction.
            CREATE TABLE unsettled_pair (asset INTEGER PRIMARY KEY);
            INSERT INTO unsettled_pair SELECT id FROM asset;

            -- What one file of an asset was put into by its name alone, and the others are still to follow into.
            CREATE TABLE awaited_placement (
                kind INTEGER NOT NULL,
                key INTEGER NOT NULL,
                asset INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
                PRIMARY KEY (kind, key, asset)
            ) WITHOUT ROWID;
            CREATE INDEX awaited_placement_by_asset ON awaited_placement (asset);

            CREATE TRIGGER pair_of_new_asset AFTER INSERT ON asset BEGIN
                INSERT OR IGNORE INTO unsettled_pair VALUES (NEW.id);
            END;
            CREATE TRIGGER pair_of_asset AFTER UPDATE OF content_identifier, trashed_at ON asset BEGIN
                INSERT OR IGNORE INTO unsettled_pair VALUES (NEW.id);
            END;
            CREATE TRIGGER pair_of_lost_asset AFTER DELETE ON asset BEGIN
                INSERT OR IGNORE INTO unsettled_pair
                    SELECT id FROM asset WHERE id = OLD.primary_asset OR primary_asset = OLD.id;
                DELETE FROM unsettled_pair WHERE asset = OLD.id;
            END;
            CREATE TRIGGER pair_of_node AFTER UPDATE OF asset ON node WHEN NEW.asset IS NOT NULL BEGIN
                INSERT OR IGNORE INTO unsettled_pair VALUES (NEW.asset);
            END;
            CREATE TRIGGER pair_of_new_name AFTER INSERT ON dentry BEGIN
                INSERT OR IGNORE INTO unsettled_pair SELECT asset FROM node WHERE id = NEW.node AND asset IS NOT NULL;
            END;
            CREATE TRIGGER pair_of_changed_name AFTER UPDATE OF parent, name, node ON dentry BEGIN
                INSERT OR IGNORE INTO unsettled_pair
                    SELECT asset FROM node WHERE id IN (NEW.node, OLD.node) AND asset IS NOT NULL;
            END;
            CREATE TRIGGER pair_of_lost_name AFTER DELETE ON dentry BEGIN
                INSERT OR IGNORE INTO unsettled_pair SELECT asset FROM node WHERE id = OLD.node AND asset IS NOT NULL;
            END;
            """),
        Migrator.Step(
            "sidecars",
            """
            -- Plain files with a sidecar's name that were looked at.
            CREATE TABLE sidecar (
                node INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE
            );
            CREATE INDEX node_that_is_plain ON node (id) WHERE kind = 4;

            -- What a sidecar says. The texts are SidecarProperties'.
            CREATE TABLE sidecar_property (
                node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                value TEXT NOT NULL,
                PRIMARY KEY (node, name)
            ) WITHOUT ROWID;

            -- What an asset took up from each of its sidecars last; it outlives the sidecar.
            CREATE TABLE sidecar_value (
                asset INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
                slot INTEGER NOT NULL,        -- SidecarSlot
                name TEXT NOT NULL,
                value TEXT NOT NULL,
                PRIMARY KEY (asset, slot, name)
            ) WITHOUT ROWID;

            -- Sidecars that are to follow a rename of their asset.
            CREATE TABLE sidecar_move (
                entry INTEGER PRIMARY KEY,    -- the sidecar's dentry, which had this place:
                parent INTEGER NOT NULL,
                name TEXT NOT NULL,
                node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
                asset_node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
                picture TEXT NOT NULL,        -- the asset's name when both lay together
                new_parent INTEGER NOT NULL,  -- and its place now
                new_picture TEXT NOT NULL,
                rival INTEGER,                -- the asset beside the sidecar with which it would go else
                due INTEGER NOT NULL
            );
            CREATE INDEX sidecar_move_of_asset ON sidecar_move (asset_node);
            CREATE INDEX sidecar_move_of_node ON sidecar_move (node);
            """),
        Migrator.Step(
            "attributes-of-albums",
            """
            -- What somebody set on an album's directory; where nobody did, those of the camera roll hold.
            ALTER TABLE album ADD COLUMN mode INTEGER;
            ALTER TABLE album ADD COLUMN uid INTEGER;
            ALTER TABLE album ADD COLUMN gid INTEGER;
            """),
    ])
}
