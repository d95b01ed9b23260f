CREATE TABLE hm_events (
	event VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	rounds_planned INTEGER NOT NULL, 
	win INTEGER NOT NULL, 
	draw INTEGER NOT NULL, 
	loss INTEGER NOT NULL, 
	bye INTEGER NOT NULL, 
	absent INTEGER NOT NULL, 
	seed VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	system VARCHAR NOT NULL, 
	tie_breaks VARCHAR NOT NULL, 
	place VARCHAR NOT NULL, 
	federation VARCHAR NOT NULL, 
	starts VARCHAR NOT NULL, 
	ends VARCHAR NOT NULL, 
	arbiter VARCHAR NOT NULL, 
	PRIMARY KEY (event)
);
CREATE TABLE hm_byes (
	event VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	player INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	reasons VARCHAR NOT NULL, 
	PRIMARY KEY (event, round, player), 
	FOREIGN KEY(event) REFERENCES hm_events (event) ON DELETE CASCADE
);
CREATE TABLE hm_pairings (
	event VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	table_number INTEGER NOT NULL, 
	red INTEGER NOT NULL, 
	blue INTEGER NOT NULL, 
	result VARCHAR, 
	reasons VARCHAR NOT NULL, 
	PRIMARY KEY (event, round, table_number), 
	FOREIGN KEY(event) REFERENCES hm_events (event) ON DELETE CASCADE
);
CREATE TABLE hm_players (
	event VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	rating INTEGER NOT NULL, 
	federation VARCHAR NOT NULL, 
	first_round INTEGER NOT NULL, 
	last_round INTEGER, 
	PRIMARY KEY (event, number), 
	FOREIGN KEY(event) REFERENCES hm_events (event) ON DELETE CASCADE
);
CREATE TABLE hm_requested_byes (
	event VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	player INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	PRIMARY KEY (event, round, player), 
	FOREIGN KEY(event) REFERENCES hm_events (event) ON DELETE CASCADE
);
CREATE TABLE hm_round_ends (
	event VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	at_ms BIGINT NOT NULL, 
	at_end VARCHAR NOT NULL, 
	PRIMARY KEY (event, round), 
	FOREIGN KEY(event) REFERENCES hm_events (event) ON DELETE CASCADE
);
CREATE TABLE hm_rounds (
	event VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	published INTEGER NOT NULL, 
	PRIMARY KEY (event, round), 
	FOREIGN KEY(event) REFERENCES hm_events (event) ON DELETE CASCADE
);
CREATE TABLE hm_store (
	format INTEGER NOT NULL, 
	PRIMARY KEY (format)
);
INSERT INTO "hm_events" VALUES('test',2,5,10,5,0,5,0,'1180591620717411303424','Größe ☃','swiss','buchholz sonneborn-berger','Ærø','DEN','2026-11-21','2026-11-22','A. Arbiter');
INSERT INTO "hm_byes" VALUES('test',1,7,'pairing','bye-lowest-points');
INSERT INTO "hm_byes" VALUES('test',2,3,'half','asked-for');
INSERT INTO "hm_pairings" VALUES('test',1,1,4,1,'blue','same-points halves seats-by-lot');
INSERT INTO "hm_pairings" VALUES('test',1,2,2,5,'red-absent','same-points halves seats-by-lot');
INSERT INTO "hm_pairings" VALUES('test',1,3,6,3,'both-absent','same-points halves seats-by-lot');
INSERT INTO "hm_pairings" VALUES('test',2,1,1,5,NULL,'same-points halves seats-as-both-prefer');
INSERT INTO "hm_pairings" VALUES('test',2,2,6,7,NULL,'floats-down:7 seats-by-lot');
INSERT INTO "hm_pairings" VALUES('test',2,3,8,4,NULL,'same-points halves seats-as-both-prefer');
INSERT INTO "hm_players" VALUES('test',1,'p1',1999,'',1,NULL);
INSERT INTO "hm_players" VALUES('test',2,'p2',1998,'',1,1);
INSERT INTO "hm_players" VALUES('test',3,'p3',1997,'',1,NULL);
INSERT INTO "hm_players" VALUES('test',4,'p4',1996,'',1,NULL);
INSERT INTO "hm_players" VALUES('test',5,'p5',1995,'',1,NULL);
INSERT INTO "hm_players" VALUES('test',6,'p6',1994,'',1,NULL);
INSERT INTO "hm_players" VALUES('test',7,'p7',1993,'',1,NULL);
INSERT INTO "hm_players" VALUES('test',8,'late',7,'NED',2,NULL);
INSERT INTO "hm_requested_byes" VALUES('test',2,3,'half');
INSERT INTO "hm_round_ends" VALUES('test',1,1795000000000,'draw');
INSERT INTO "hm_rounds" VALUES('test',1,1);
INSERT INTO "hm_rounds" VALUES('test',2,1);
INSERT INTO "hm_store" VALUES(1);
