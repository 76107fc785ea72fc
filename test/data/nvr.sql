CREATE TABLE "migratehistory" ("id" INTEGER NOT NULL PRIMARY KEY, "name" VARCHAR(255) NOT NULL, "migrated_at" DATETIME NOT NULL);
CREATE TABLE "recordings" ("id" VARCHAR(30) NOT NULL PRIMARY KEY, "camera" VARCHAR(20) NOT NULL, "path" VARCHAR(255) NOT NULL, "start_time" DATETIME NOT NULL, "end_time" DATETIME NOT NULL, "duration" REAL NOT NULL, "objects" INTEGER, "motion" INTEGER, "segment_size" REAL NOT NULL, "dBFS" INTEGER, "regions" INTEGER, "motion_heatmap" TEXT NULL);
CREATE TABLE "timeline" ("timestamp" DATETIME NOT NULL, "camera" VARCHAR(20) NOT NULL, "source" VARCHAR(20) NOT NULL, "source_id" VARCHAR(30), "class_type" VARCHAR(50) NOT NULL, "data" JSON);
CREATE TABLE "regions" ("camera" VARCHAR(20) NOT NULL PRIMARY KEY, "last_update" DATETIME NOT NULL, "grid" JSON);
CREATE TABLE "previews" ("id" VARCHAR(30) NOT NULL PRIMARY KEY, "camera" VARCHAR(20) NOT NULL, "path" VARCHAR(255) NOT NULL, "start_time" DATETIME NOT NULL, "end_time" DATETIME NOT NULL, "duration" REAL NOT NULL);
CREATE TABLE "reviewsegment" ("id" VARCHAR(30) NOT NULL PRIMARY KEY, "camera" VARCHAR(20) NOT NULL, "start_time" DATETIME NOT NULL, "end_time" DATETIME, "severity" VARCHAR(30) NOT NULL, "thumb_path" VARCHAR(255) NOT NULL, "data" JSON NOT NULL);
CREATE TABLE "export" ("id" VARCHAR(30) NOT NULL PRIMARY KEY, "camera" VARCHAR(20) NOT NULL, "name" VARCHAR(100) NOT NULL, "date" DATETIME NOT NULL, "video_path" VARCHAR(255) NOT NULL, "thumb_path" VARCHAR(255) NOT NULL, "in_progress" INTEGER NOT NULL, "export_case_id" VARCHAR(30) NULL);
CREATE TABLE "user" ("username" VARCHAR(30) NOT NULL PRIMARY KEY, "password_hash" VARCHAR(120) NOT NULL, "notification_tokens" JSON NOT NULL, "role" VARCHAR(20) NOT NULL DEFAULT 'admin', password_changed_at DATETIME NULL);
CREATE TABLE "event" ("id" VARCHAR(30) NOT NULL PRIMARY KEY, "label" VARCHAR(20) NOT NULL, "camera" VARCHAR(20) NOT NULL, "start_time" DATETIME NOT NULL, "end_time" DATETIME, "top_score" REAL, "false_positive" INTEGER, "zones" JSON NOT NULL, "thumbnail" TEXT , "has_clip" INTEGER NOT NULL, "has_snapshot" INTEGER NOT NULL, "region" JSON, "box" JSON, "area" INTEGER, "retain_indefinitely" INTEGER NOT NULL, "sub_label" VARCHAR(100), "ratio" REAL, "plus_id" VARCHAR(30), "score" REAL, "model_hash" VARCHAR(32), "detector_type" VARCHAR(32), "model_type" VARCHAR(32), "data" JSON NOT NULL);
CREATE TABLE "userreviewstatus" (
            "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            "user_id" VARCHAR(30) NOT NULL,
            "review_segment_id" VARCHAR(30) NOT NULL,
            "has_been_reviewed" INTEGER NOT NULL DEFAULT 0,
            FOREIGN KEY ("review_segment_id") REFERENCES "reviewsegment" ("id") ON DELETE CASCADE
        );
CREATE TABLE trigger (
            camera VARCHAR(20) NOT NULL,
            name VARCHAR NOT NULL,
            type VARCHAR(10) NOT NULL,
            model VARCHAR(30) NOT NULL,
            data TEXT NOT NULL,
            threshold REAL,
            embedding BLOB,
            triggering_event_id VARCHAR(30),
            last_triggered DATETIME,
            PRIMARY KEY (camera, name)
        );
CREATE TABLE "exportcase" (
            "id" VARCHAR(30) NOT NULL PRIMARY KEY,
            "name" VARCHAR(100) NOT NULL,
            "description" TEXT NULL,
            "created_at" DATETIME NOT NULL,
            "updated_at" DATETIME NOT NULL
        );
INSERT INTO "migratehistory" VALUES (1, '001_create_events_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (2, '002_add_clip_snapshot', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (3, '003_create_recordings_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (4, '004_add_bbox_region_area', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (5, '005_make_end_time_nullable', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (6, '006_add_motion_active_objects', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (7, '007_add_retain_indefinitely', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (8, '008_add_sub_label', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (9, '009_add_object_filter_ratio', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (10, '010_add_plus_image_id', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (11, '011_update_indexes', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (12, '012_add_segment_size', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (13, '013_create_timeline_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (14, '014_event_updates_for_fp', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (15, '015_event_refactor', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (16, '016_sublabel_increase', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (17, '017_update_indexes', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (18, '018_add_dbfs', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (19, '019_create_regions_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (20, '020_update_index_recordings', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (21, '021_create_previews_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (22, '022_create_review_segment_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (23, '023_add_regions', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (24, '024_create_export_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (25, '025_create_user_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (26, '026_add_notification_tokens', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (27, '027_create_explore_index', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (28, '028_optional_event_thumbnail', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (29, '029_add_user_role', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (30, '030_create_user_review_status', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (31, '031_create_trigger_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (32, '032_add_password_changed_at', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (33, '033_create_export_case_table', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (34, '034_add_export_case_to_exports', '2026-01-01 00:00:00');
INSERT INTO "migratehistory" VALUES (35, '035_add_motion_heatmap', '2026-01-01 00:00:00');
INSERT INTO "recordings" VALUES ('1725149064.0-rec000', 'front_door', '/media/frigate/recordings/000/front_door/00.00.mp4', 1725149064, 1725149074, 10, 0, 0, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1730213954.0-rec001', 'driveway', '/media/frigate/recordings/001/driveway/00.00.mp4', 1730213954, 1730213964, 10, 1, 1, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1736794088.0-rec002', 'driveway', '/media/frigate/recordings/002/driveway/00.00.mp4', 1736794088, 1736794098, 10, 2, 2, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1743094763.0-rec003', 'back-yard', '/media/frigate/recordings/003/back-yard/00.00.mp4', 1743094763, 1743094773, 10, 0, 3, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1748512694.0-rec004', 'front_door', '/media/frigate/recordings/004/front_door/00.00.mp4', 1748512694, 1748512704, 10, 1, 4, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1754926593.0-rec005', 'back-yard', '/media/frigate/recordings/005/back-yard/00.00.mp4', 1754926593, 1754926603, 10, 2, 5, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1760780079.0-rec006', 'front_door', '/media/frigate/recordings/006/front_door/00.00.mp4', 1760780079, 1760780089, 10, 0, 6, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1765890263.0-rec007', 'front_door', '/media/frigate/recordings/007/front_door/00.00.mp4', 1765890263, 1765890273, 10, 1, 7, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1771849803.0-rec008', 'front_door', '/media/frigate/recordings/008/front_door/00.00.mp4', 1771849803, 1771849813, 10, 2, 8, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1776855472.0-rec009', 'front_door2', '/media/frigate/recordings/009/front_door2/00.00.mp4', 1776855472, 1776855482, 10, 0, 9, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1783212930.0-rec010', 'garage', '/media/frigate/recordings/010/garage/00.00.mp4', 1783212930, 1783212940, 10, 1, 10, 1.5, NULL, NULL, NULL);
INSERT INTO "recordings" VALUES ('1789390853.0-rec011', 'back-yard', '/media/frigate/recordings/011/back-yard/00.00.mp4', 1789390853, 1789390863, 10, 2, 11, 1.5, NULL, NULL, NULL);
INSERT INTO "reviewsegment" VALUES ('1725149064.415116-rev000', 'front_door', 1725149064.415116, 1725149067.140613, 'detection', '/media/frigate/clips/review/thumb-front_door-000.webp', '{"detections":["1725149064.415116-njxg26"],"objects":["speech"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1730213954.359359-rev001', 'driveway', 1730213954.359359, 1730214014.359359, 'alert', '/media/frigate/clips/review/thumb-driveway-001.webp', '{"detections":["1730213954.359359-ivwyou"],"objects":["person"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1736794088.0-rev002', 'driveway', 1736794088, 1736794099.084328, 'detection', '/media/frigate/clips/review/thumb-driveway-002.webp', '{"detections":["1736794088.0-887xao"],"objects":["person"],"sub_labels":[],"zones":["street"],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1743094763.624402-rev003', 'back-yard', 1743094763.624402, 1743094798.396588, 'alert', '/media/frigate/clips/review/thumb-back-yard-003.webp', '{"detections":["1743094763.624402-69rw43"],"objects":["bird"],"sub_labels":[],"zones":["zone*"],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1748512694.972052-rev004', 'front_door', 1748512694.972052, 1748512700.223593, 'detection', '/media/frigate/clips/review/thumb-front_door-004.webp', '{"detections":["1748512694.972052-ictxrs"],"objects":["person"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1754926593.311-rev005', 'back-yard', 1754926593.311, 1754926599.183031, 'alert', '/media/frigate/clips/review/thumb-back-yard-005.webp', '{"detections":["1754926593.311-bmu1ue"],"objects":["person"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1760780079.353787-rev006', 'front_door', 1760780079.353787, 1760780110.971661, 'detection', '/media/frigate/clips/review/thumb-front_door-006.webp', '{"detections":["1760780079.353787-ksh0z0"],"objects":["car"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1765890263.54818-rev007', 'front_door', 1765890263.54818, 1765890268.74177, 'alert', '/media/frigate/clips/review/thumb-front_door-007.webp', '{"detections":["1765890263.54818-z5wzny"],"objects":["person"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1771849803.0-rev008', 'front_door', 1771849803, 1771849833, 'detection', '/media/frigate/clips/review/thumb-front_door-008.webp', '{"detections":["1771849803.0-hkjnk2"],"objects":["license_plate"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1776855472.960246-rev009', 'front_door2', 1776855472.960246, 1776855490.400455, 'alert', '/media/frigate/clips/review/thumb-front_door2-009.webp', '{"detections":["1776855472.960246-p8vq92"],"objects":["dog"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1783212930.412223-rev010', 'garage', 1783212930.412223, 1783212936.482472, 'detection', '/media/frigate/clips/review/thumb-garage-010.webp', '{"detections":["1783212930.412223-z92g6t"],"objects":["person"],"sub_labels":[],"zones":["lot1"],"audio":[]}');
INSERT INTO "reviewsegment" VALUES ('1789390853.829166-rev011', 'back-yard', 1789390853.829166, 1789390873.48842, 'alert', '/media/frigate/clips/review/thumb-back-yard-011.webp', '{"detections":["1789390853.829166-ofweae"],"objects":["car"],"sub_labels":[],"zones":[],"audio":[]}');
INSERT INTO "export" VALUES ('front_door_exp000', 'front_door', 'Export 0', 1725149064, '/media/frigate/exports/front_door_exp000.mp4', '/media/frigate/clips/export/exp000.webp', 0, NULL);
INSERT INTO "export" VALUES ('driveway_exp001', 'driveway', 'Export 1', 1730213954, '/media/frigate/exports/driveway_exp001.mp4', '/media/frigate/clips/export/exp001.webp', 0, NULL);
INSERT INTO "export" VALUES ('driveway_exp002', 'driveway', 'Export 2', 1736794088, '/media/frigate/exports/driveway_exp002.mp4', '/media/frigate/clips/export/exp002.webp', 0, NULL);
INSERT INTO "export" VALUES ('back-yard_exp003', 'back-yard', 'Export 3', 1743094763, '/media/frigate/exports/back-yard_exp003.mp4', '/media/frigate/clips/export/exp003.webp', 0, NULL);
INSERT INTO "user" VALUES ('admin', 'pbkdf2_sha256$600000$77e74c1c3d4aa4d19bdd2a0a78939697$uCi3HMcRJWMjFTgOvVDUvZgyNxq0htr+4oH42FTG/Ps=', '[]', 'admin', NULL);
INSERT INTO "user" VALUES ('warden.2', 'pbkdf2_sha256$600000$8b9fbfbd4d3c1eef163f5e0fb0443fbf$2lcGszMW3iPuryIpEh+UL9mGM4RnTbvbX5hM0Q/OUbc=', '[]', 'admin', '2026-05-04 03:02:01.000100');
INSERT INTO "user" VALUES ('viewer', 'pbkdf2_sha256$600000$9fbac4892a226eb1cbf6e6de68546a56$FLcdWFLrupfVdD6zfStk5tpGDDyXecl8DmT/bTFXQEc=', '[]', 'viewer', NULL);
INSERT INTO "user" VALUES ('guard_1', 'pbkdf2_sha256$600000$53f6f192ecb259d3984e4967c4ada107$mlOeKQHtDgDT4Xg36slFuibX1oQwz1L6zbM4OqWj9/k=', '[]', 'guard', NULL);
INSERT INTO "user" VALUES ('family', 'pbkdf2_sha256$600000$2aac0e42af332a98855ae86f4543fcaa$VX29bFH+1pgaVMOO/EjVFK42pnPfWi0dvMloPjtFmK4=', '[]', 'family', NULL);
INSERT INTO "user" VALUES ('older', 'pbkdf2_sha256$260000$8ece7835ed3396a4a6f6ec2263b437b0$zKPnYfUkAkIpTMEceFQ7FjINPApqC2ZOjJptDEMUgPg=', '[]', 'viewer', NULL);
INSERT INTO "user" VALUES ('stranger', 'pbkdf2_sha256$600000$c39470e2ba35e3b31ec3fd3f323f4f41$R29VXPKO7igNMWK5UOWT7BB4FxgHH3fuLMGfHC8ch1U=', '[]', 'operator', NULL);
INSERT INTO "user" VALUES ('broken', 'pbkdf2_sha256$600000$nosalt', '[]', 'viewer', NULL);
CREATE INDEX "recordings_activity" ON "recordings" ("camera", "start_time" DESC, "regions");
CREATE INDEX "recordings_camera" ON "recordings" ("camera");
CREATE UNIQUE INDEX "recordings_path" ON "recordings" ("path");
CREATE INDEX "timeline_camera" ON "timeline" ("camera");
CREATE INDEX "timeline_source" ON "timeline" ("source");
CREATE INDEX "timeline_source_id" ON "timeline" ("source_id");
CREATE INDEX "recordings_camera_segment_size" ON "recordings" ("camera", "segment_size");
CREATE INDEX "recordings_camera_start_time_end_time" ON "recordings" ("camera", "start_time" DESC, "end_time" DESC);
CREATE INDEX "recordings_api_recordings_summary" ON "recordings" ("camera", "start_time" DESC, "duration", "motion", "objects");
CREATE INDEX "recordings_start_time" ON "recordings" ("start_time");
CREATE INDEX "review_segment_camera" ON "reviewsegment" ("camera");
CREATE INDEX "review_segment_start_time_end_time" ON "reviewsegment" ("start_time" DESC, "end_time" DESC);
CREATE INDEX "export_camera" ON "export" ("camera");
CREATE INDEX "event_camera" ON "event" ("camera");
CREATE INDEX "event_label" ON "event" ("label");
CREATE INDEX "event_label_start_time" ON "event" ("label", "start_time" DESC);
CREATE INDEX "event_start_time_end_time" ON "event" ("start_time" DESC, "end_time" DESC);
CREATE UNIQUE INDEX "userreviewstatus_user_segment" ON "userreviewstatus" ("user_id", "review_segment_id");
CREATE INDEX "exportcase_name" ON "exportcase" ("name");
CREATE INDEX "exportcase_created_at" ON "exportcase" ("created_at");
CREATE INDEX "export_export_case_id" ON "export" ("export_case_id");
