/** For Node.js 22.13 or newer: what lies in SQLite files. */
export { sqliteCommandStore } from './sqlite-command-store.ts'
export { sqliteQueue } from './sqlite-queue.ts'
