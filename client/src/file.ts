/** For Node.js, Deno and Bun: what lies in files. */
export { fileCommandStore } from './file-command-store.ts'
export { fileQueue } from './file-queue.ts'
export { fileTokenStore } from './file-tokens.ts'
