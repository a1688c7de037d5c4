/** All kernel exports for plugins, and the ports through it. Re-exports only. */

export * from '../ports/authorizer.ts';
export * from '../ports/clock.ts';
export * from '../ports/define-ref.ts';
export * from '../ports/embedder.ts';
export * from '../ports/fact.ts';
export * from '../ports/fact-filter.ts';
export * from '../ports/fact-query.ts';
export type { AnnouncedQuery, Cover, FeedEntry } from '../ports/fact-store.ts';
export * from '../ports/ledger.ts';
export * from '../ports/mask-urls.ts';
export * from '../ports/migration.ts';
export * from '../ports/normalise-text.ts';
export * from '../ports/principal.ts';
export * from '../ports/schema.ts';
export * from '../ports/service-error.ts';
export * from '../ports/store-copy.ts';
export * from '../ports/stored-text.ts';
export * from '../ports/transport.ts';
export { type ChainLink, type ChainPlace, hashBytes, hashText, isSameLink } from './chains/chain-place.ts';
export {
  type Checkpoint,
  CheckpointLog,
  type CheckpointStamp,
  checkpointAfter,
  checkpointFromRow,
} from './chains/checkpoint-log.ts';
export { askServer, type Question, refusalOf } from './commands/ask-server.ts';
export * from './commands/command-definition.ts';
export * from './commands/command-server.ts';
export { countNoun } from './commands/count-noun.ts';
export type { OfflineStore, StoreRestore, UpgradePlan } from './commands/offline-store.ts';
export { type NumberedLine, readLines } from './commands/read-lines.ts';
export { type PagesQuery, type ReadPage, readPages } from './commands/read-pages.ts';
export { queryOf, readShare, wordOrInput } from './commands/read-words.ts';
export { rotateGroup } from './commands/rotate-group.ts';
export * from './commands/send-batch.ts';
export { type Patience, type PatientTarget, sendPatiently } from './commands/send-patiently.ts';
export { shellQuote } from './commands/shell-quote.ts';
export {
  ageOf,
  type FactEntry,
  factRows,
  SHOWN_FIELDS,
  type ShownFact,
  type ShownValue,
  valueLine,
} from './commands/shown-fact.ts';
export { harmlessText, jsonLine, shortText } from './commands/shown-text.ts';
export { type TypedValue, typedValue } from './commands/typed-value.ts';
export * from './container/requires.ts';
export { decodeBase64Url, encodeBase64Url } from './crypto/base64url.ts';
export { canonicalJson } from './crypto/canonical-json.ts';
export { createSigner, PUBLIC_KEY_BYTES, SEED_BYTES, type Signer, verifyEd25519 } from './crypto/ed25519-signing.ts';
export * from './crypto/random.ts';
export { sha256Hex } from './crypto/sha256-digest.ts';
export { type SignatureCheck, SignatureWork } from './crypto/signature-work.ts';
export * from './description/node-description.ts';
export * from './facts/append-api.ts';
export * from './facts/append-hooks.ts';
export { refuseTimestamp } from './facts/assertion-rights.ts';
export { cacheByFact } from './facts/cache-by-fact.ts';
export { contentId } from './facts/content-id.ts';
export { coverBy } from './facts/cover-by.ts';
export { inPastTable, liveAmong, recordedBy, SAME_FACT, SAME_PLACE, SAME_TRIPLE } from './facts/default-constraints.ts';
export { entityDisplay } from './facts/entity-display.ts';
export { addCounts } from './facts/erase-facts.ts';
export { type FactDraft, type Notes, noted, noteOf, type Origin } from './facts/fact-draft.ts';
export * from './facts/fact-erasure.ts';
export * from './facts/fact-feed.ts';
export { FactFields, FIELDS_JSON, FIELDS_TEXT } from './facts/fact-fields.ts';
export { readEntityUri, readRelation } from './facts/fact-identity.ts';
export { FactJson } from './facts/fact-json.ts';
export { defineFactMark, type FactMark, markOf, withMark } from './facts/fact-marks.ts';
export { defineExpectedMember } from './facts/fact-members.ts';
export {
  type CheckedFact,
  FactRestore,
  type RestorableFact,
  type RestoreVerdict,
} from './facts/fact-restore.ts';
export { FACT, FACT_PART, FACT_VALUE, SENT_VALUE } from './facts/fact-schema.ts';
export { FactText } from './facts/fact-text.ts';
export { FACT_VALUE_JSON, readFactValue, valueText } from './facts/fact-value.ts';
export { type FactView, plainView } from './facts/fact-view.ts';
export * from './facts/facts.ts';
export * from './facts/garden-access.ts';
export { areMoreThan, type LedgerPiece, ledgerPieces } from './facts/ledger-pieces.ts';
export { MAX_PLAIN_KEY_LENGTH, matchKey, nameKeys, wholeMatchKey } from './facts/match-key.ts';
export { createNameRules, type NameRules } from './facts/name-rules.ts';
export { namesInText } from './facts/names-in-text.ts';
export * from './facts/read-hooks.ts';
export * from './facts/read-moment.ts';
export * from './facts/reader-api.ts';
export * from './facts/received-facts.ts';
export * from './facts/suppressed-facts.ts';
export { tripleId } from './facts/triple-id.ts';
export { valueBytesOf } from './facts/value-bytes.ts';
export { valueCommitment } from './facts/value-commitment.ts';
export { readVisiblePage, type VisiblePage } from './facts/visible-page.ts';
export { readSecretFile, replaceSecretFile, writeSecretFile } from './files/secret-file.ts';
export * from './hooks/define-hook.ts';
export * from './hooks/node-hooks.ts';
export { arrayReply } from './http/array-reply.ts';
export { PROBLEM, type Problem, type ProblemContext, problemOf } from './http/error-reply.ts';
export { type LocalReply, LocalRequests } from './http/local-requests.ts';
export { readBearerToken } from './http/read-bearer-token.ts';
export { readInstantParameter } from './http/read-instant-parameter.ts';
export { refusedCredential } from './http/refused-credential.ts';
export * from './http/request-hooks.ts';
export { requireLimit } from './http/require-limit.ts';
export * from './http/route-definition.ts';
export { type QueryValue, type RouteQuestion, spellQuestion } from './http/route-path.ts';
export { parseStrictJson, parseStrictJsonText } from './http/strict-json.ts';
export * from './identity/node-notes.ts';
export { nodePrincipal } from './identity/node-principal.ts';
export * from './identity/node-self.ts';
export * from './identity/node-settings.ts';
export { NODE_VERSION } from './identity/node-version.ts';
export { hasPermission, requirePermission, requireReadScope } from './identity/require-permission.ts';
export type { ServiceNames } from './identity/service-names.ts';
export * from './leases/leases-api.ts';
export { type CopyInto, StoreCopies } from './leases/store-copies.ts';
export type { LogFields, Logger } from './log/logger.ts';
export { ProgressLog, type ProgressLogParts } from './log/progress-log.ts';
export { WorkRate } from './log/work-rate.ts';
export { isLoopbackHost } from './net/loopback-host.ts';
export { type BoundCursor, bindCursor, type Page, type PageForm } from './pages/bound-cursor.ts';
export { Cursors } from './pages/cursors.ts';
export { type CursorCodec, type CursorPosition, createCursorCodec } from './pages/page-cursor.ts';
export { LIST_BYTES, listTexts, MAX_PAGE_BYTES, SpelledList, spellBody, spellList } from './pages/spelled-list.ts';
export * from './plugins/plugin-definition.ts';
export { memberRefusal } from './problems/member-refusal.ts';
export { MAX_VIOLATIONS, Refusals, refuseAll } from './problems/refusals.ts';
export * from './schemas/answer-schemas.ts';
export { compileDeclared, type ListUndeclared } from './schemas/declared-members.ts';
export { compileSchema, type SchemaCheck } from './schemas/schema-validator.ts';
export { readExpiries } from './store/fact-lifetimes.ts';
export * from './store/plugin-transaction.ts';
export type {
  RemoteParent,
  Span,
  SpanAttributes,
  SpanOptions,
  SpanPlace,
  SpanValue,
  Tracer,
} from './telemetry/span.ts';
export * from './telemetry/telemetry-api.ts';
export { ServedTenants } from './tenants/served-tenants.ts';
export { type RecordRemoval, TenantRemoval } from './tenants/tenant-removal.ts';
export { hasForbiddenCodePoint, hasWhiteSpace, isControlFree, isWithinCharacters } from './text/text-rules.ts';
export * from './time/awaitable.ts';
export { BackgroundWork } from './time/background-work.ts';
export { cacheResult } from './time/cache-result.ts';
export { coalesce } from './time/coalesce.ts';
export { compareHlc, formatHlc, isTooFarAhead, parseHlc, ZERO_HLC } from './time/hybrid-logical-clock.ts';
export { inTurns, othersGoFirst, turnAfter } from './time/in-turns.ts';
export { formatInstant, parseDateOrInstant, parseInstant } from './time/instant.ts';
export { REJECTIONS_PER_MINUTE, RejectionWindows } from './time/rejection-windows.ts';
export { withinTime } from './time/within-time.ts';
export {
  type Components,
  type ComponentWord,
  component,
  defineComponent,
} from './vocabulary/components.ts';
export { defineVocabulary, type Word, type WordKind } from './vocabulary/define-vocabulary.ts';
export { defineErrorCode, ErrorCodes, type ErrorWord } from './vocabulary/error-codes.ts';
export { defineInterpretation, type Interpretation } from './vocabulary/interpretations.ts';
export { defineFeedKind, definePrincipalKind, FeedKinds, PrincipalKinds } from './vocabulary/kinds.ts';
export {
  definePermission,
  Permissions,
  type PermissionWord,
  type RequiredPermission,
} from './vocabulary/permissions.ts';
export {
  defineOpenRelation,
  defineReservedEntities,
  defineReservedRelation,
  type OpenRelation,
  type ReservedEntities,
  type ReservedRelation,
} from './vocabulary/reserved-names.ts';
export { type OwnedWord, Vocabulary } from './vocabulary/vocabulary.ts';
