/** The public exports for authors of plugins: refs, hooks, words, and their types. Re-exports only. */

export { Authorizer } from '../ports/authorizer.ts';
export { Clock } from '../ports/clock.ts';
export { defineRef, optional } from '../ports/define-ref.ts';
export { EarlierEmbedders, Embedder } from '../ports/embedder.ts';
export {
  compareHlc,
  type FactOutline,
  type FactValue,
  type Hlc,
  SCOPES,
  type Scope,
  type StoredFact,
} from '../ports/fact.ts';
export {
  above,
  all,
  any,
  below,
  type ColumnMatch,
  equals,
  type Filter,
  inTable,
  isIn,
  isNull,
  not,
  startsWith,
} from '../ports/fact-filter.ts';
export type { Row, SqlValue } from '../ports/fact-query.ts';
export { formatInstant, parseInstant } from '../ports/instant.ts';
export type { LedgerEntry } from '../ports/ledger.ts';
export type { Migration } from '../ports/migration.ts';
export { ObjectStores } from '../ports/object-store.ts';
export { DEFAULT_TENANT, type Principal } from '../ports/principal.ts';
export { schema } from '../ports/schema.ts';
export { ServiceError } from '../ports/service-error.ts';
export { type OutboundReply, Transport } from '../ports/transport.ts';
export type { Requires } from './container/requires.ts';
export { Random } from './crypto/random.ts';
export { sha256Hex } from './crypto/sha256-digest.ts';
export { SignatureWork } from './crypto/signature-work.ts';
export { NodeDescription } from './description/node-description.ts';
export type {
  AppendBatch,
  AppendedBatch,
  AppendedFact,
  AppendItem,
  AppendVerdict,
  AuthoriseBatch,
  DraftBatch,
  DraftItem,
  RefusableItem,
} from './facts/append-api.ts';
export {
  appendAuthorise,
  appendJudge,
  appendLink,
  appendRead,
  appendSettle,
  factAppended,
  factCommitted,
  factRestored,
} from './facts/append-hooks.ts';
export { type FactDraft, type Notes, noted, noteOf } from './facts/fact-draft.ts';
export {
  type ErasedFacts,
  type ErasureCounts,
  type ErasureSweep,
  erasureFiles,
  erasureSweeps,
  FactErasure,
  factErased,
  factRedacted,
} from './facts/fact-erasure.ts';
export { FactFeed, FEED_START, type FeedFollower } from './facts/fact-feed.ts';
export { FactFields } from './facts/fact-fields.ts';
export { readEntityUri } from './facts/fact-identity.ts';
export { FactJson } from './facts/fact-json.ts';
export { defineFactMark, type FactMark, markOf, withMark } from './facts/fact-marks.ts';
export { defineExpectedMember, type FactMember } from './facts/fact-members.ts';
export { FactRestore } from './facts/fact-restore.ts';
export { FACT, FACT_VALUE } from './facts/fact-schema.ts';
export { FactText } from './facts/fact-text.ts';
export type { FactView } from './facts/fact-view.ts';
export { Facts } from './facts/facts.ts';
export { GardenAccess } from './facts/garden-access.ts';
export { matchKey } from './facts/match-key.ts';
export { readAnnotate, readConstrain, readNextChange } from './facts/read-hooks.ts';
export { AsOf, ValidAt } from './facts/read-moment.ts';
export type { FactReader, ReadContext } from './facts/reader-api.ts';
export { PeerSpeaker, VerifiedOrigins } from './facts/received-facts.ts';
export { FACT_RETURNED, SUPPRESSION_CHANGED, SuppressedFacts } from './facts/suppressed-facts.ts';
export {
  type CollectHook,
  defineCollectHook,
  defineEventHook,
  defineFilterHook,
  type EventHook,
  type FilterHook,
  type HookCaller,
} from './hooks/define-hook.ts';
export { nodeGreeting, nodeHealth, nodeMetadata, nodeReadiness } from './hooks/node-hooks.ts';
export { arrayReply } from './http/array-reply.ts';
export { PROBLEM } from './http/error-reply.ts';
export { LocalRequests } from './http/local-requests.ts';
export { Turns } from './http/person-turns.ts';
export { httpAdmit, httpCredential, httpPrincipal, httpRefused } from './http/request-hooks.ts';
export { requireLimit } from './http/require-limit.ts';
export type { Reply, Route, RouteHeader, RouteRequest } from './http/route-definition.ts';
export { NodeNotes } from './identity/node-notes.ts';
export { nodePrincipal } from './identity/node-principal.ts';
export { NodeSelf } from './identity/node-self.ts';
export { NodeSettings } from './identity/node-settings.ts';
export { hasPermission, requirePermission, requireReadScope } from './identity/require-permission.ts';
export type { ServiceNames } from './identity/service-names.ts';
export { type ConfirmLease, type HeldLease, Leases } from './leases/leases-api.ts';
export { StoreCopies } from './leases/store-copies.ts';
export type { Logger } from './log/logger.ts';
export { type BoundCursor, bindCursor } from './pages/bound-cursor.ts';
export { Cursors } from './pages/cursors.ts';
export type { CursorCodec, CursorPosition } from './pages/page-cursor.ts';
export { type SpelledList, spellList } from './pages/spelled-list.ts';
export {
  definePlugin,
  KERNEL_API,
  type Plugin,
  type PluginContext,
  type PluginTables,
  type ReadableTables,
  type WritableTables,
} from './plugins/plugin-definition.ts';
export { memberRefusal } from './problems/member-refusal.ts';
export { Refusals } from './problems/refusals.ts';
export {
  BOOLEAN_JSON,
  COUNT_JSON,
  CURSOR_JSON,
  INSTANT_JSON,
  type JsonSchema,
  listOf,
  NO_BODY,
  objectOf,
  orNull,
  STRING_JSON,
} from './schemas/answer-schemas.ts';
export { compileDeclared, type ListUndeclared } from './schemas/declared-members.ts';
export type { PluginSnapshot, PluginTransaction } from './store/plugin-transaction.ts';
export { openJson, type SealedColumns, sealJson } from './store/sealed-json.ts';
export { StoredRows } from './store/stored-rows.ts';
export { Telemetry } from './telemetry/telemetry-api.ts';
export { ServedTenants } from './tenants/served-tenants.ts';
export { TenantRemoval } from './tenants/tenant-removal.ts';
export { BackgroundWork } from './time/background-work.ts';
export { coalesce } from './time/coalesce.ts';
export { type ComponentWord, component, defineComponent } from './vocabulary/components.ts';
export { defineVocabulary, type Word, type WordKind } from './vocabulary/define-vocabulary.ts';
export { defineErrorCode, ErrorCodes, type ErrorWord } from './vocabulary/error-codes.ts';
export { defineInterpretation, type Interpretation } from './vocabulary/interpretations.ts';
export { definePrincipalKind } from './vocabulary/kinds.ts';
export { definePermission, Permissions } from './vocabulary/permissions.ts';
export {
  defineOpenRelation,
  defineReservedEntities,
  defineReservedRelation,
  type OpenRelation,
  type ReservedRelation,
} from './vocabulary/reserved-names.ts';
export { Vocabulary } from './vocabulary/vocabulary.ts';
