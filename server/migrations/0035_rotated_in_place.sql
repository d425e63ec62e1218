-- Every refresh token is rotated once: with room for the second version of each row, none of it reaches an index.
alter table refresh_tokens set (fillfactor = 50);
