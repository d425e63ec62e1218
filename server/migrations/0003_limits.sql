-- Rate-limit windows shared by every process. Unlogged: after a crash of Postgres counting starts anew, which is fine.

create unlogged table limit_windows (
  key       text primary key,
  opened_at timestamptz not null,
  count     integer not null
) with (fillfactor = 50);
create index limit_windows_by_age on limit_windows (opened_at);
