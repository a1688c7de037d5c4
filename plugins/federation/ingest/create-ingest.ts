import type { PluginTransaction } from '../../../kernel/plugin-api.ts';
import type { FederationLog } from '../peerings/federation-log.ts';
import type { Ingest, IngestPage, IngestVerdict, JudgedPage, Rejection } from './ingest.ts';
import { extensionEvent, rejectionEvent } from './ingest-events.ts';
import { PEER_QUARANTINED } from './ingest-words.ts';
import { type JudgeParts, judgePage } from './judge-page.ts';
import { PageOutdated } from './page-outdated.ts';
import type { PeerUsages } from './peer-usage.ts';
import { quotaExceeded, untilTomorrowMs } from './quota-exceeded.ts';
import { type StoreParts, storeCandidates } from './store-candidates.ts';

export interface IngestParts extends JudgeParts, StoreParts {
  readonly peerings: JudgeParts['peerings'];
  readonly federationLog: FederationLog;
  readonly usages: PeerUsages;
}

export const createIngest = (parts: IngestParts): Ingest => ({
  judge: (page) => judgePage(page, parts),
  async take(page, judged) {
    let current = judged;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await takeJudged(page, current ?? (await judgePage(page, parts)), parts);
      } catch (error) {
        if (!(error instanceof PageOutdated) || attempt === MOST_ATTEMPTS) throw error;
        current = undefined;
      }
    }
  },
});

/** The maximum number of attempts to check a page, if other pages bring facts with the same ids meanwhile. */
const MOST_ATTEMPTS = 4;

const takeJudged = async (
  page: IngestPage,
  { verdicts, candidates, extended, renewed }: JudgedPage,
  parts: IngestParts,
): Promise<readonly IngestVerdict[]> => {
  if (page.mayAdd !== undefined && candidates.length > page.mayAdd) {
    throw quotaExceeded(untilTomorrowMs(parts.clock.nowMs()));
  }
  const merged = (settled: readonly IngestVerdict[]): IngestVerdict[] => {
    const all = [...verdicts];
    for (const [index, { at }] of candidates.entries()) all[at] = settled[index];
    return all as IngestVerdict[];
  };
  const finish = async (transaction: PluginTransaction, settled: readonly IngestVerdict[]): Promise<void> => {
    const all = merged(settled);
    await count(all, renewed.length, page, transaction, parts);
    if (renewed.length > 0) await parts.proofs.renew(renewed, page.peering.tenantId, transaction);
    await page.beforeCommit?.(transaction, all);
  };
  const isQuiet = candidates.length + renewed.length === 0 && !verdicts.some(isRefused);
  const isNothingNew = isQuiet && page.beforeCommit === undefined;
  const all = merged(isNothingNew ? [] : await storeCandidates(candidates, page, finish, parts));
  await tell(all, extended, page, parts);
  return all;
};

/**
 * The reasons for rejection that an honest node never causes, neither with its own facts nor by the form of a fact that
 * it relays.
 */
const INVALID: ReadonlySet<Rejection> = new Set([
  'invalid_fact',
  'cid_mismatch',
  'invalid_origin_proof',
  'id_collision',
  'reserved_namespace',
  'source_not_owned',
]);

const isRefused = (verdict: IngestVerdict | undefined): boolean => verdict?.kind === 'rejected';

/** Counts the new and invalid facts of a page. New proofs count as new facts. Skips a repeated page. */
const count = async (
  verdicts: readonly IngestVerdict[],
  renewed: number,
  { peering }: IngestPage,
  transaction: PluginTransaction,
  { usages, clock, federationLog }: IngestParts,
): Promise<void> => {
  const counts = { added: renewed, known: 0, invalid: 0 };
  for (const verdict of verdicts) {
    if (verdict.kind === 'stored') counts.added += 1;
    else if (verdict.kind === 'known') counts.known += 1;
    else if (verdict.kind === 'rejected' && INVALID.has(verdict.error) && !verdict.isPassedOn) counts.invalid += 1;
  }
  if (counts.added + counts.invalid === 0) return;
  const quarantinedUntilMs = await usages.count(peering, counts, clock.nowMs(), transaction);
  if (quarantinedUntilMs === null) return;
  const { tenantId, peerId, nodeId } = peering;
  const seconds = Math.round((quarantinedUntilMs - clock.nowMs()) / 1_000);
  await federationLog.record([{ tenantId, peerId, nodeId, event: PEER_QUARANTINED, detail: { seconds } }], transaction);
};

/** Logs rejections after the commit, so that they are logged even if the transaction stored nothing. */
const tell = async (
  verdicts: readonly IngestVerdict[],
  extended: readonly string[],
  { peering, isRetry = false }: IngestPage,
  { federationLog }: IngestParts,
): Promise<void> => {
  const events = extended.map((factId) => extensionEvent(peering, factId));
  for (const verdict of verdicts) {
    if (verdict.kind === 'rejected') events.push(rejectionEvent(peering, verdict.factId, verdict.error));
    else if (verdict.kind === 'parked' && verdict.reason === 'hlc_skew' && !isRetry) {
      events.push(rejectionEvent(peering, verdict.factId, 'hlc_skew'));
    }
  }
  if (events.length > 0) await federationLog.recordRejections(events);
};
