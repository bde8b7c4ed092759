PRAGMA application_id = 1145392713;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE "responses_wellbeing_1" (
  id INTEGER PRIMARY KEY,
  "year" INTEGER NOT NULL CHECK ("year" BETWEEN 0 AND 3),
  "cannabis" INTEGER NOT NULL CHECK ("cannabis" BETWEEN 0 AND 1),
  "drinking" INTEGER NOT NULL CHECK ("drinking" BETWEEN 0 AND 3),
  "income" INTEGER NOT NULL CHECK ("income" BETWEEN 0 AND 3),
  "debt" INTEGER NOT NULL CHECK ("debt" BETWEEN 0 AND 1),
  "distress" INTEGER NOT NULL CHECK ("distress" BETWEEN 0 AND 1)
) STRICT;
INSERT INTO "responses_wellbeing_1" VALUES(609650769169906271,3,0,0,0,1,0);
INSERT INTO "responses_wellbeing_1" VALUES(7739325953656656747,0,1,3,2,0,1);
INSERT INTO "responses_wellbeing_1" VALUES(7824956570227214411,1,1,1,1,1,1);
CREATE TABLE surveys (
  fingerprint TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  design TEXT NOT NULL,
  UNIQUE (name, version)
) STRICT, WITHOUT ROWID
;
INSERT INTO "surveys" VALUES('9c60a45f7003c6d757861561122b9214f9e2c7d415819d02db796241bf3e7c53','wellbeing',1,'{"format":1,"groups":[{"channel":"complement","name":"substances","questions":["cannabis","drinking"],"truth":[4,5]},{"channel":"uniform","name":"money","questions":["income"],"truth":[2,3]},{"channel":"complement","name":"debts","questions":["debt"],"truth":[4,5]},{"channel":"complement","name":"health","questions":["distress"],"truth":[4,5]}],"languages":["en"],"name":"wellbeing","questions":[{"coding":{"codes":[0,1,2,3],"complements":null,"draws":[[[0,1]],[[1,1]],[[2,1]],[[3,1]]],"scheme":"plain"},"cuts":[],"kind":"scale","label":"Which year are you in?","minimum":null,"name":"year","prior":[[1,4],[1,4],[1,4],[1,4]],"sensitive":false,"unit":null,"values":["first","second","third","fourth"]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"kind":"yes_no","label":"Have you used cannabis in the last 30 days?","minimum":null,"name":"cannabis","prior":[[1,5],[4,5]],"sensitive":true,"unit":null,"values":["yes","no"]},{"coding":{"codes":[0,1,2,3],"complements":[3,2,1,0],"draws":[[[0,2],[1,3]],[[2,1]],[[3,1]]],"scheme":"balanced"},"cuts":[],"kind":"scale","label":"How often do you have six or more drinks on one occasion?","minimum":null,"name":"drinking","prior":[[1,2],[3,10],[1,5]],"sensitive":true,"unit":null,"values":["never","monthly","weekly"]},{"coding":{"codes":[0,1,2,3],"complements":null,"draws":[[[0,1]],[[1,1]],[[2,1]],[[3,1]]],"scheme":"plain"},"cuts":[400,800,1500],"kind":"number","label":"How much money do you have to live on each month?","minimum":0,"name":"income","prior":[[1,4],[1,4],[1,4],[1,4]],"sensitive":true,"unit":"EUR","values":["<400","400..800","800..1500",">=1500"]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"kind":"yes_no","label":"Do you owe money that you do not know how to pay back?","minimum":null,"name":"debt","prior":[[3,10],[7,10]],"sensitive":true,"unit":null,"values":["yes","no"]},{"coding":{"codes":[0,1],"complements":[1,0],"draws":[[[0,1]],[[1,1]]],"scheme":"balanced"},"cuts":[],"kind":"yes_no","label":"In the last month, did you feel unable to cope?","minimum":null,"name":"distress","prior":[[1,2],[1,2]],"sensitive":true,"unit":null,"values":["yes","no"]}],"target":"distress","title":"Student wellbeing"}');
CREATE VIEW "wellbeing_1" AS SELECT
  id,
  CASE "year" WHEN 0 THEN 'first' WHEN 1 THEN 'second' WHEN 2 THEN 'third' WHEN 3 THEN 'fourth' END AS "year",
  CASE "cannabis" WHEN 0 THEN 'yes' WHEN 1 THEN 'no' END AS "cannabis",
  CASE "drinking" WHEN 0 THEN '#0' WHEN 1 THEN '#1' WHEN 2 THEN 'monthly' WHEN 3 THEN 'weekly' END AS "drinking",
  CASE "income" WHEN 0 THEN '<400' WHEN 1 THEN '400..800' WHEN 2 THEN '800..1500' WHEN 3 THEN '>=1500' END AS "income",
  CASE "debt" WHEN 0 THEN 'yes' WHEN 1 THEN 'no' END AS "debt",
  CASE "distress" WHEN 0 THEN 'yes' WHEN 1 THEN 'no' END AS "distress"
FROM "responses_wellbeing_1";
COMMIT;
