import type Database from 'better-sqlite3';

/** A connection to one database, of which every part of the store prepares its statements. */
export type Connection = Database.Database;
