#!/bin/sh
# Now and each day again: tidies the store, so that no order of arrival stays in it, and backs it up to /backups.
# A store in PostgreSQL is dumped by a program of PostgreSQL's own image, which waits for the file `tidied`.
set -u
trap exit TERM INT # the first process of a container ignores signals otherwise
while :; do
  case $STORE in
    postgres://* | postgresql://*)
      collector tidy --store "$STORE" && cp -p "$DENIABLE_PEPPER" /backups/ && touch /backups/tidied ;;
    *)
      collector tidy --store "$STORE" && collector backup /backups/deniable.backup --store "$STORE" ;;
  esac
  sleep 86400 &
  wait $!
done
