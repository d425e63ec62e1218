import type { Context as DirectoryContext } from '../directory/context.ts'
import { createSigningKeyReader, type SigningKeyReader } from './keys/signing-keys.ts'
import { SigningThreads, threadsPerProcess } from './keys/signing-threads.ts'
import { type BearerLookUp, createBearerLookUp } from './token/bearer.ts'
import { type ClientLookUp, createClientLookUp } from './token/client-authentication.ts'
import { createGrantUseRecorder } from './token/grants.ts'
import { createRotation, type RefreshContext } from './token/refresh.ts'
import { createRefreshLookUp, type RefreshLookUp } from './token/refresh-reading.ts'
import { TokenCounters } from './token/token-counters.ts'
import { createSubjectLookUp, type SubjectLookUp } from './token/userinfo.ts'

/** With work that concurrent requests of this process share (decision 9.1), and what it keeps. */
export interface Context
  extends DirectoryContext,
    BearerLookUp,
    ClientLookUp,
    RefreshLookUp,
    SubjectLookUp,
    SigningKeyReader,
    RefreshContext {
  tokenCounters: TokenCounters
}

export function createContext(directory: DirectoryContext): Context {
  const tokenCounters = new TokenCounters(directory.metrics.registry)
  const recordGrantUse = createGrantUseRecorder(directory)
  return {
    ...directory,
    findBearer: createBearerLookUp(directory, recordGrantUse),
    findClient: createClientLookUp(directory),
    findSubject: createSubjectLookUp(directory),
    readSigningKeys: createSigningKeyReader(directory),
    findRefresh: createRefreshLookUp(directory),
    rotateRefreshToken: createRotation(directory, tokenCounters),
    recordGrantUse,
    signerCache: new Map(),
    signingThreads: new SigningThreads(threadsPerProcess(directory.config.processes)),
    tokenCounters,
  }
}
