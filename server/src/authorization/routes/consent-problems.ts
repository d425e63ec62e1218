import type { FastifyReply } from 'fastify'
import type { Brand } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusal-pages.ts'
import type { RequestProblem } from '../authorize/pending-requests.ts'
import type { ScreenProblem } from '../consent/consent.ts'

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

/** The status and the sentence with which the screen is shown again. */
export const screenProblems: Record<ScreenProblem, [number, string]> = {
  group_gone: [422, 'This group no longer exists. Choose again who may connect it.'],
  space_gone: [422, 'A space that you chose no longer exists, or is not one of this organization. Choose again.'],
  beyond_asked: [422, 'This is more than the application asks for. Choose again what it may do.'],
  asked_changed: [409, 'The application asks for something else now. Please check and decide again.'],
  withdrawn_meanwhile: [409, 'The approval was withdrawn meanwhile. Connecting approves it again: please check first.'],
  approved_meanwhile: [409, 'Another administrator approved it meanwhile. Please check what was approved.'],
}

export function isScreenProblem(verdict: string): verdict is ScreenProblem {
  return verdict in screenProblems
}
