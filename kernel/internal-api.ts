/**
 * Functions and types for the plugins and the command line of this repository only; not an entry of the package. It
 * exports no ref and no hook, so that no plugin here can do more than a third party's. Re-exports only.
 */

export type { Cover, NamedFact } from '../ports/cover.ts';
export type { Ref } from '../ports/define-ref.ts';
export type { EmbedderRecipe } from '../ports/embedder.ts';
export { type PreparedFact, REDACTED_REFERENCE, type TripleKey, VALUE_TYPES } from '../ports/fact.ts';
export type { ColumnCondition } from '../ports/fact-filter.ts';
export { type LongValues, NO_LONG_VALUES, type RowPage, type TriplePosition } from '../ports/fact-query.ts';
export type { FeedEntry } from '../ports/feed.ts';
export { isDiskFull } from '../ports/full-disk.ts';
export { type IncrementName, readIncrementName, startOfIncrement } from '../ports/increment-name.ts';
export { FIRST_INSTANT_MS, instantKey, LAST_INSTANT_MS, parseDateOrInstant } from '../ports/instant.ts';
export type { FactLink, LedgerHead, LedgerRange } from '../ports/ledger.ts';
export { maskPath } from '../ports/mask-keys.ts';
export { maskUrls } from '../ports/mask-urls.ts';
export type { MigrationSchema } from '../ports/migration.ts';
export {
  BUCKET_PLACE,
  type ObjectContent,
  type ObjectLock,
  type ObjectStore,
  type RewrappedSeal,
} from '../ports/object-store.ts';
export { othersGoFirst } from '../ports/others-first.ts';
export { ErasedTenant } from '../ports/ports.ts';
export { limitedEntity } from '../ports/principal.ts';
export type { ReadReplica } from '../ports/read-replica.ts';
export type { Schema } from '../ports/schema.ts';
export type { ErrorCode, Violation } from '../ports/service-error.ts';
export type { ChangeRecorder, CopyOptions, IncrementFile, StoreCopy } from '../ports/store-copy.ts';
export type { InboundReply, InboundRequest } from '../ports/transport.ts';
export { unblockStandardError } from '../ports/unblock-standard-error.ts';
export { type ChainLink, type ChainPlace, hashBytes, hashText, isSameLink } from './chains/chain-place.ts';
export { type Checkpoint, CheckpointLog, checkpointFromRow } from './chains/checkpoint-log.ts';
export { isLedgerErased } from './chains/erased-ledger.ts';
export {
  type AnyCommand,
  type CommandTopic,
  type ExportPlace,
  isGroup,
  type SpareNode,
  type StyledCell,
  type WriteText,
} from './commands/command-definition.ts';
export type { ServerRequest } from './commands/command-server.ts';
export type { OfflineStore } from './commands/offline-store.ts';
export { harmlessText } from './commands/shown-text.ts';
export { isCommitUnknown, mayBeDone, unknownEnd } from './commands/unknown-end.ts';
export type { Resolved } from './container/requires.ts';
export { decodeBase64Url, encodeBase64Url } from './crypto/base64url.ts';
export { canonicalJson } from './crypto/canonical-json.ts';
export { createSigner, PUBLIC_KEY_BYTES, SEED_BYTES, type Signer, verifyEd25519 } from './crypto/ed25519-signing.ts';
export { keyIdOf } from './crypto/key-id.ts';
export type { SignatureCheck } from './crypto/signature-work.ts';
export type { DescribedNode, DescribedPlugin, DescribedRoute, DescribedSeal } from './description/node-description.ts';
export { type AppendOptions, type RestoredBatch, type SettleableItem, SIBLING_LIMIT } from './facts/append-api.ts';
export { refuseTimestamp } from './facts/assertion-rights.ts';
export { cacheByFact } from './facts/cache-by-fact.ts';
export { contentId } from './facts/content-id.ts';
export { coverBy, ownCoverKind, reachOf } from './facts/cover-by.ts';
export {
  coveredBy,
  endedBy,
  inPastTable,
  notCovered,
  openAmong,
  recordedBy,
  SAME_FACT,
  SAME_PLACE,
  SAME_TRIPLE,
} from './facts/default-constraints.ts';
export { entityDisplay } from './facts/entity-display.ts';
export { addCounts } from './facts/erase-facts.ts';
export { ERASURE_START, type ErasurePosition, type ErasureSubject, type RedactedFacts } from './facts/fact-erasure.ts';
export type { FeedPage } from './facts/fact-feed.ts';
export { FIELDS_JSON, FIELDS_TEXT } from './facts/fact-fields.ts';
export { readRelation } from './facts/fact-identity.ts';
export { endsFact, idInName, isNamed, MAX_REPLACED, namedBy, nameOf } from './facts/fact-names.ts';
export type { CheckedFact, RestorableFact } from './facts/fact-restore.ts';
export { FACT_PART, SENT_VALUE } from './facts/fact-schema.ts';
export { FACT_VALUE_JSON, readFactValue, valueText } from './facts/fact-value.ts';
export { plainView } from './facts/fact-view.ts';
export { type EnteredGarden, refuseGarden } from './facts/garden-access.ts';
export { areMoreThan, type LedgerPiece, ledgerPieces } from './facts/ledger-pieces.ts';
export { keyBeginnings, MAX_PLAIN_KEY_LENGTH, nameKeys, wholeMatchKey, withoutBlanks } from './facts/match-key.ts';
export { createNameRules, type NameRules } from './facts/name-rules.ts';
export { namesInText } from './facts/names-in-text.ts';
export type { NextChangeQuestion } from './facts/read-hooks.ts';
export { lastStampOf, type ReadMoment } from './facts/read-moment.ts';
export type { FactPage, FactSearch } from './facts/reader-api.ts';
export { isErased, isIntact, recomputedCid } from './facts/recomputed-cid.ts';
export type { HiddenEntity, SuppressibleFact } from './facts/suppressed-facts.ts';
export { tripleId } from './facts/triple-id.ts';
export { refuseBeginning } from './facts/validity-span.ts';
export { valueBytesOf } from './facts/value-bytes.ts';
export { valueCommitment } from './facts/value-commitment.ts';
export { readVisiblePage, type VisiblePage } from './facts/visible-page.ts';
export { newDraft, publishDraft, removeDrafts, withDraft } from './files/draft-file.ts';
export { fileTaken } from './files/file-taken.ts';
export { appendLines, DamagedLines, readJournal } from './files/journal-file.ts';
export { openOrdinaryFile, readOrdinaryFile, readPart } from './files/ordinary-file.ts';
export { readNamedSecret, readSecretFile, replaceSecretFile, writeSecretFile } from './files/secret-file.ts';
export { syncPath } from './files/sync-path.ts';
export type { GreetingPart } from './hooks/node-hooks.ts';
export { problemOf } from './http/error-reply.ts';
export { readBearerToken } from './http/read-bearer-token.ts';
export { readInstantParameter } from './http/read-instant-parameter.ts';
export { refusedCredential } from './http/refused-credential.ts';
export type { HttpRequestInfo, RefusedRequest } from './http/request-hooks.ts';
export type { Access, BodyItem, RouteExample } from './http/route-definition.ts';
export { type RouteQuestion, spellQuestion } from './http/route-path.ts';
export { budgetFor } from './http/scan-json.ts';
export { sliceJsonList, TURN_BYTES } from './http/slice-json-list.ts';
export { infiniteForUnfaithful, parseStrictJson, parseStrictJsonText } from './http/strict-json.ts';
export { noteKey } from './identity/node-notes.ts';
export { DEFAULT_DISPLAY_NAME } from './identity/node-settings.ts';
export { NODE_VERSION } from './identity/node-version.ts';
export { createServiceNames, DEFAULT_SERVICE_NAME } from './identity/service-names.ts';
export type { WithdrawalJournal } from './identity/withdrawal-journal.ts';
export { eachInTurn } from './lists/each-in-turn.ts';
export { grouped } from './lists/grouped.ts';
export { portions } from './lists/portions.ts';
export { ProgressLog } from './log/progress-log.ts';
export { WorkRate } from './log/work-rate.ts';
export { isLoopbackHost } from './net/loopback-host.ts';
export type { CursorParts } from './pages/bound-cursor.ts';
export { createCursorCodec } from './pages/page-cursor.ts';
export { type PageQuery, pageMembers } from './pages/page-query.ts';
export { LIST_BYTES, listTexts, spellBody } from './pages/spelled-list.ts';
export { defineOwnPlugin } from './plugins/define-own-plugin.ts';
export { givenText } from './plugins/environment-value.ts';
export { type EndingRows, keepEnds, keepWithdrawals, type Withdrawals } from './plugins/kept-ends.ts';
export type { PluginFiles } from './plugins/plugin-definition.ts';
export { MAX_VIOLATIONS, refuseAll } from './problems/refusals.ts';
export type { Answers } from './schemas/answer-schemas.ts';
export { SHARE_JSON, TRUNCATED_JSON } from './schemas/answer-schemas.ts';
export { objectRequiring, objectSchema } from './schemas/object-schema.ts';
export { compileSchema } from './schemas/schema-validator.ts';
export { type ContentColumns, isSealedText } from './store/content-border.ts';
export { ownedBy } from './store/content-owner.ts';
export { column, defineRow } from './store/define-row.ts';
export { numberOrNull, textOrNull } from './store/null-columns.ts';
export { addPeriod } from './store/period-rows.ts';
export type { Expiry, FactName, FormerExpiry } from './store/plugin-transaction.ts';
export { openChained, openRow, openText, sealRow, sealText } from './store/sealed-json.ts';
export { soundRows } from './store/sound-rows.ts';
export type { RemoteParent, Span, SpanOptions, SpanPlace, Tracer } from './telemetry/span.ts';
export type { Counter, Instrument, Labels, Meter, Reading } from './telemetry/telemetry-api.ts';
export { closestName } from './text/closest-name.ts';
export { escapedHtml } from './text/escaped-html.ts';
export { foldName } from './text/fold-name.ts';
export { columnText, lineText, quotedText } from './text/quoted-text.ts';
export { spelledNumber, UNFAITHFUL_NUMBER } from './text/spelled-number.ts';
export { hasForbiddenCodePoint, hasWhiteSpace, isControlFree, isWithinCharacters } from './text/text-rules.ts';
export { UNICODE_VERSION } from './text/unicode-table.ts';
export { cacheResult } from './time/cache-result.ts';
export { formatHlc, isTooFarAhead, parseHlc, ZERO_HLC } from './time/hybrid-logical-clock.ts';
export { inTurns, TurnBudget, turnAfter } from './time/in-turns.ts';
export { REJECTIONS_PER_MINUTE, RejectionWindows } from './time/rejection-windows.ts';
export { withinTime } from './time/within-time.ts';
export type { Components } from './vocabulary/components.ts';
export { defineFeedKind } from './vocabulary/kinds.ts';
export type { RequiredPermission } from './vocabulary/permissions.ts';
