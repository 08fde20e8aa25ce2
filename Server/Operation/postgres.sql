-- The image of PostgreSQL runs this once, in an empty database. earshotd gets a role that is no superuser.
\set password `cat /run/secrets/earshot-password`
CREATE ROLE earshot LOGIN PASSWORD :'password';
CREATE DATABASE earshot OWNER earshot;
-- The image gave the superuser the same password. Without one it can log in inside of the container only.
ALTER ROLE postgres PASSWORD NULL;
