import type { FastifyReply } from 'fastify'
import type { Brand } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusal-pages.ts'
import type { RequestProblem } from '../authorize/pending-requests.ts'

export type ConsentProblem = RequestProblem | 'unknown'

const startAgain = 'Go back to the application and start again from there.'

interface ProblemPage {
  status: number
  title: string
  sentence: string
  next?: string
  error?: string
}

const problems: Record<ConsentProblem, ProblemPage> = {
  unknown: {
    status: 404,
    title: 'This request is no longer open',
    sentence: 'The address is incomplete or too old.',
  },
  expired: {
    status: 410,
    title: 'This request has expired',
    sentence: 'For your security, a request expires after 15 minutes. Nothing was connected.',
  },
  decided: {
    status: 410,
    title: 'You have already decided',
    sentence: 'This request was decided before, and the decision cannot be changed or repeated here.',
    next: 'Go back to the application: if it is not connected, start again from there.',
  },
  disabled: {
    status: 400,
    error: 'invalid_client',
    title: 'This application cannot be connected',
    sentence: 'The application was disabled in the meantime. Nothing was connected.',
    next: 'If you did not expect this, contact its developer.',
  },
  redirect_uri_gone: {
    status: 400,
    title: 'This application cannot be connected',
    sentence: 'The address to return to is no longer registered for this application. Nothing was connected.',
  },
}

export function isConsentProblem(verdict: string): verdict is ConsentProblem {
  return verdict in problems
}

export function sendProblemPage(problem: ConsentProblem, reply: FastifyReply, brand?: Brand) {
  return sendRefusalPage(reply, { error: 'invalid_request', next: startAgain, ...problems[problem], brand })
}
