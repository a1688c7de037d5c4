/**
 * The client of a node, for programs in browsers, Node, Deno and Bun. It needs nothing but the web platform. Re-exports
 * only.
 */
export type * from './api-types.ts';
export type {
  AnswerOf,
  BodyOf,
  CallArguments,
  Caller,
  CallOptions,
  InputOf,
  QueryOf,
  ReplyOf,
  RouteName,
} from './call-types.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  FactMemoryError,
  IntegrityError,
  InvalidReplyError,
  JobFailedError,
  NotFoundError,
  type ProblemMember,
} from './client-errors.ts';
export type { ClientOptions } from './client-options.ts';
export type { EventMessage } from './event-message.ts';
export {
  type BatchReply,
  type Card,
  type ConflictPage,
  FactClient,
  type FactPage,
  type HistoryPage,
  type NeighborPage,
  type Provenance,
  type RecallInput,
  type RecallReply,
  type Resolution,
  type ResolutionInput,
} from './fact-client.ts';
export type { Assertion, Retraction, TypedValue, ValueInput } from './fact-values.ts';
export type { FollowOptions, SubscriptionEvent } from './follow-events.ts';
export type { FollowJobOptions, Job } from './follow-job.ts';
export type { GardenCalls } from './garden-calls.ts';
export { Pages } from './pages.ts';
export type { Platform } from './platform.ts';
export type { SubscriptionCalls } from './subscription-calls.ts';
export { type ChainProof, contentIdOf, verifyChainProof, verifyFact } from './verify-facts.ts';
export { verifyWebhook, WebhookError, type WebhookHeaders, type WebhookOptions } from './verify-webhook.ts';
