PRAGMA application_id = 1145392713;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE charges (
  number INTEGER PRIMARY KEY,
  data_set TEXT NOT NULL REFERENCES data_sets (name),
  cohort TEXT,
  mechanism TEXT NOT NULL,
  epsilon TEXT NOT NULL CHECK (length(epsilon) > 0),
  delta TEXT NOT NULL CHECK (length(delta) > 0),
  replace_epsilon TEXT NOT NULL CHECK (length(replace_epsilon) > 0),
  replace_delta TEXT NOT NULL CHECK (length(replace_delta) > 0)
) STRICT
;
INSERT INTO "charges" VALUES(1,'patients',NULL,'a tree','1/2','0','1','0');
CREATE TABLE closed (
  name TEXT PRIMARY KEY,
  for_good INTEGER NOT NULL CHECK (for_good IN (0, 1))
) STRICT, WITHOUT ROWID
;
CREATE TABLE data_sets (
  name TEXT PRIMARY KEY,
  epsilon TEXT NOT NULL CHECK (length(epsilon) > 0),
  delta TEXT NOT NULL CHECK (length(delta) > 0),
  neighbours TEXT NOT NULL CHECK (neighbours IN ('add/remove', 'replace-one')),
  records INTEGER NOT NULL CHECK (records > 0)
) STRICT, WITHOUT ROWID
;
INSERT INTO "data_sets" VALUES('patients','1','0','add/remove',1);
CREATE TABLE imports (
  fingerprint TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  responses INTEGER NOT NULL CHECK (responses > 0),
  times INTEGER NOT NULL CHECK (times > 0),
  simulated TEXT CHECK (simulated IN ('seeded', 'unseeded')),
  PRIMARY KEY (fingerprint, digest)
) STRICT, WITHOUT ROWID
;
INSERT INTO "imports" VALUES('da47f56246b569204502eefd7ca46ef3b3c33dade1879c933f35f0a557f75729',X'E0BFFDBF2E9D48BBCC36C09DEA5E6D8BE96A3469D086DE1A026AEA1CD3BC5ACE',3,1,NULL);
CREATE TABLE invitations (
  survey TEXT NOT NULL,
  code BLOB NOT NULL CHECK (length(code) = 32),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)),
  PRIMARY KEY (survey, code)
) STRICT, WITHOUT ROWID
;
INSERT INTO "invitations" VALUES('wellbeing',X'52891CE0E58CDB7F332D896073C1DE5EF2940AE1F40F7BED8F7DF2F47F762698',0);
INSERT INTO "invitations" VALUES('wellbeing',X'B23067C97B6DE0DDCECB8EE9392C3FBAAA38ECBD3B8F1352846C099109F00A9A',0);
CREATE TABLE known_tables (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  data_set TEXT NOT NULL REFERENCES data_sets (name)
) STRICT, WITHOUT ROWID
;
INSERT INTO "known_tables" VALUES(X'2714902D71C6EE9704D986B4E52801CC4B65E802B05CAA8FDE9EE6F8ED742881','patients');
INSERT INTO "known_tables" VALUES(X'6464646464646464646464646464646464646464646464646464646464646464','patients');
CREATE TABLE pictures (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID
;
CREATE TABLE "responses_wellbeing_1" (
  id INTEGER PRIMARY KEY,
  "year" INTEGER NOT NULL CHECK ("year" BETWEEN 0 AND 3),
  "cannabis" INTEGER NOT NULL CHECK ("cannabis" BETWEEN 0 AND 1),
  "drinking" INTEGER NOT NULL CHECK ("drinking" BETWEEN 0 AND 3),
  "income" INTEGER NOT NULL CHECK ("income" BETWEEN 0 AND 3),
  "debt" INTEGER NOT NULL CHECK ("debt" BETWEEN 0 AND 1),
  "distress" INTEGER NOT NULL CHECK ("distress" BETWEEN 0 AND 1),
  _receipt BLOB UNIQUE CHECK (length(_receipt) = 32),
  _by_hand INTEGER NOT NULL DEFAULT 0 CHECK (_by_hand IN (0, 1))
) STRICT;
INSERT INTO "responses_wellbeing_1" VALUES(144115188075855872,0,0,0,0,0,0,X'A043E9E01735FC6E919CA2F2453643B13EC6D14F27397115C77C13537BF11555',0);
INSERT INTO "responses_wellbeing_1" VALUES(216172782113783808,0,1,3,2,0,1,NULL,0);
INSERT INTO "responses_wellbeing_1" VALUES(288230376151711744,3,0,0,0,1,0,NULL,0);
INSERT INTO "responses_wellbeing_1" VALUES(360287970189639680,1,1,1,1,1,1,NULL,0);
CREATE TABLE revisions (
  fingerprint TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 1),
  design TEXT NOT NULL,
  UNIQUE (version, number)
) STRICT, WITHOUT ROWID
;
INSERT INTO "revisions" VALUES('a5e6ed734647ef5253cabbb4b2d30fe7d92cd0b93bec5a875d6527c894b3c079','da47f56246b569204502eefd7ca46ef3b3c33dade1879c933f35f0a557f75729',2,'{"format":1,"groups":[{"channel":"complement","name":"substances","questions":["cannabis","drinking"],"truth":[4,5]},{"channel":"uniform","name":"money","questions":["income"],"truth":[2,3]},{"channel":"complement","name":"debts","questions":["debt"],"truth":[4,5]},{"channel":"complement","name":"health","questions":["distress"],"truth":[4,5]}],"languages":["en"],"name":"wellbeing","preview":"after","questions":[{"coding":{"codes":[0,1,2,3],"complements":null,"draws":[[[0,1]],[[1,1]],[[2,1]],[[3,1]]],"scheme":"plain"},"cuts":[],"hint":null,"kind":"scale","label":{"en":"Which year are you in?"},"minimum":null,"name":"year","prior":[[1,4],[1,4],[1,4],[1,4]],"sensitive":false,"unit":null,"values":["first","second","third","fourth"],"words":[]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"hint":null,"kind":"yes_no","label":{"en":"Have you used cannabis in the last 30 days?"},"minimum":null,"name":"cannabis","prior":[[1,5],[4,5]],"sensitive":true,"unit":null,"values":["yes","no"],"words":[]},{"coding":{"codes":[0,1,2,3],"complements":[3,2,1,0],"draws":[[[0,2],[1,3]],[[2,1]],[[3,1]]],"scheme":"balanced"},"cuts":[],"hint":{"en":"One drink is a small beer, a glass of wine or a shot."},"kind":"scale","label":{"en":"How often do you have six or more drinks on one occasion?"},"minimum":null,"name":"drinking","prior":[[1,2],[3,10],[1,5]],"sensitive":true,"unit":null,"values":["never","monthly","weekly"],"words":[]},{"coding":{"codes":[0,1,2,3],"complements":null,"draws":[[[0,1]],[[1,1]],[[2,1]],[[3,1]]],"scheme":"plain"},"cuts":[400,800,1500],"hint":null,"kind":"number","label":{"en":"How much money do you have to live on each month?"},"minimum":0,"name":"income","prior":[[1,4],[1,4],[1,4],[1,4]],"sensitive":true,"unit":"EUR","values":["<400","400..800","800..1500",">=1500"],"words":[]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"hint":null,"kind":"yes_no","label":{"en":"Do you owe money that you do not know how to pay back?"},"minimum":null,"name":"debt","prior":[[3,10],[7,10]],"sensitive":true,"unit":null,"values":["yes","no"],"words":[]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"hint":null,"kind":"yes_no","label":{"en":"In the last month, did you feel unable to cope?"},"minimum":null,"name":"distress","prior":[[1,2],[1,2]],"sensitive":true,"unit":null,"values":["yes","no"],"words":[]}],"study":{"contact":{"en":"wellbeing@university.example"},"ethics":{"en":"Example University ethics board, 2026/114"},"minutes":3,"until":null,"who":{"en":"The student health service of Example University"},"why":{"en":"To plan counselling and debt advice for next year"}},"target":"distress","title":{"en":"Student wellbeing (2)"}}');
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  settings TEXT NOT NULL,
  responses INTEGER NOT NULL CHECK (responses >= 0),
  result TEXT NOT NULL CHECK (result IN ('started', 'promoted', 'kept', 'failed', 'interrupted')),
  figures TEXT NOT NULL DEFAULT '{}',
  model TEXT CHECK (length(model) = 64)
) STRICT
;
INSERT INTO "runs" VALUES(1,'da47f56246b569204502eefd7ca46ef3b3c33dade1879c933f35f0a557f75729','"{}"',4,'promoted','{}',NULL);
CREATE TABLE surveys (
  fingerprint TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  design TEXT NOT NULL,
  UNIQUE (name, version)
) STRICT, WITHOUT ROWID
;
INSERT INTO "surveys" VALUES('da47f56246b569204502eefd7ca46ef3b3c33dade1879c933f35f0a557f75729','wellbeing',1,'{"format":1,"groups":[{"channel":"complement","name":"substances","questions":["cannabis","drinking"],"truth":[4,5]},{"channel":"uniform","name":"money","questions":["income"],"truth":[2,3]},{"channel":"complement","name":"debts","questions":["debt"],"truth":[4,5]},{"channel":"complement","name":"health","questions":["distress"],"truth":[4,5]}],"languages":["en"],"name":"wellbeing","preview":"after","questions":[{"coding":{"codes":[0,1,2,3],"complements":null,"draws":[[[0,1]],[[1,1]],[[2,1]],[[3,1]]],"scheme":"plain"},"cuts":[],"hint":null,"kind":"scale","label":{"en":"Which year are you in?"},"minimum":null,"name":"year","prior":[[1,4],[1,4],[1,4],[1,4]],"sensitive":false,"unit":null,"values":["first","second","third","fourth"],"words":[]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"hint":null,"kind":"yes_no","label":{"en":"Have you used cannabis in the last 30 days?"},"minimum":null,"name":"cannabis","prior":[[1,5],[4,5]],"sensitive":true,"unit":null,"values":["yes","no"],"words":[]},{"coding":{"codes":[0,1,2,3],"complements":[3,2,1,0],"draws":[[[0,2],[1,3]],[[2,1]],[[3,1]]],"scheme":"balanced"},"cuts":[],"hint":{"en":"One drink is a small beer, a glass of wine or a shot."},"kind":"scale","label":{"en":"How often do you have six or more drinks on one occasion?"},"minimum":null,"name":"drinking","prior":[[1,2],[3,10],[1,5]],"sensitive":true,"unit":null,"values":["never","monthly","weekly"],"words":[]},{"coding":{"codes":[0,1,2,3],"complements":null,"draws":[[[0,1]],[[1,1]],[[2,1]],[[3,1]]],"scheme":"plain"},"cuts":[400,800,1500],"hint":null,"kind":"number","label":{"en":"How much money do you have to live on each month?"},"minimum":0,"name":"income","prior":[[1,4],[1,4],[1,4],[1,4]],"sensitive":true,"unit":"EUR","values":["<400","400..800","800..1500",">=1500"],"words":[]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"hint":null,"kind":"yes_no","label":{"en":"Do you owe money that you do not know how to pay back?"},"minimum":null,"name":"debt","prior":[[3,10],[7,10]],"sensitive":true,"unit":null,"values":["yes","no"],"words":[]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"hint":null,"kind":"yes_no","label":{"en":"In the last month, did you feel unable to cope?"},"minimum":null,"name":"distress","prior":[[1,2],[1,2]],"sensitive":true,"unit":null,"values":["yes","no"],"words":[]}],"study":{"contact":{"en":"wellbeing@university.example"},"ethics":{"en":"Example University ethics board, 2026/114"},"minutes":3,"until":null,"who":{"en":"The student health service of Example University"},"why":{"en":"To plan counselling and debt advice for next year"}},"target":"distress","title":{"en":"Student wellbeing"}}');
CREATE TABLE waits (
  fingerprint TEXT PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0)
) STRICT, WITHOUT ROWID
;
INSERT INTO "waits" VALUES('da47f56246b569204502eefd7ca46ef3b3c33dade1879c933f35f0a557f75729',1);
CREATE TABLE withdrawn (
  survey TEXT NOT NULL,
  receipt BLOB NOT NULL CHECK (length(receipt) = 32),
  PRIMARY KEY (survey, receipt)
) STRICT, WITHOUT ROWID
;
INSERT INTO "withdrawn" VALUES('wellbeing',X'EBEABA20D0AEAF460E2F758E753D1CEDC7CB7987A1CDDF2D377AD3FF395C17F4');
CREATE VIEW "wellbeing_1" AS SELECT
  id,
  CASE "year" WHEN 0 THEN 'first' WHEN 1 THEN 'second' WHEN 2 THEN 'third' WHEN 3 THEN 'fourth' END AS "year",
  CASE "cannabis" WHEN 0 THEN 'yes' WHEN 1 THEN 'no' END AS "cannabis",
  CASE "drinking" WHEN 0 THEN '#0' WHEN 1 THEN '#1' WHEN 2 THEN 'monthly' WHEN 3 THEN 'weekly' END AS "drinking",
  CASE "income" WHEN 0 THEN '<400' WHEN 1 THEN '400..800' WHEN 2 THEN '800..1500' WHEN 3 THEN '>=1500' END AS "income",
  CASE "debt" WHEN 0 THEN 'yes' WHEN 1 THEN 'no' END AS "debt",
  CASE "distress" WHEN 0 THEN 'yes' WHEN 1 THEN 'no' END AS "distress"
FROM "responses_wellbeing_1";
CREATE TRIGGER data_sets_update BEFORE UPDATE ON data_sets
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END;
CREATE TRIGGER data_sets_delete BEFORE DELETE ON data_sets
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END;
CREATE TRIGGER known_tables_update BEFORE UPDATE ON known_tables
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END;
CREATE TRIGGER known_tables_delete BEFORE DELETE ON known_tables
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END;
CREATE TRIGGER charges_update BEFORE UPDATE ON charges
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END;
CREATE TRIGGER charges_delete BEFORE DELETE ON charges
BEGIN SELECT raise(ABORT, 'nothing in the ledger is ever changed'); END;
COMMIT;
