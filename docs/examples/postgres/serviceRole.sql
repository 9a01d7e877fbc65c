-- Makes the role of API and workers, which migrations give its rights. PostgreSQL's image runs this once, on an empty volume.
\set password `cat /run/secrets/postgres_app_password`
create role console_app login password :'password';
