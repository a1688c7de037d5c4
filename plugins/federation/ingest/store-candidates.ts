import { parseHlc } from '../../../kernel/internal-api.ts';
import {
  type AppendVerdict,
  type FactDraft,
  type Facts,
  type Hlc,
  noted,
  PeerSpeaker,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import { QuarantineReason } from '../../gardens/gardens-api.ts';
import { NAMESPACE_OWNED } from '../../namespaces/namespaces-api.ts';
import type { OriginProofs } from '../proofs/origin-proof.ts';
import type { Candidate, IngestPage, IngestVerdict, Rejection } from './ingest.ts';
import { readNamesakes } from './namesakes.ts';
import { PageOutdated } from './page-outdated.ts';
import { peerPrincipal } from './peer-principal.ts';
import { readPeerSpeakers, type SpeakerParts } from './peer-speakers.ts';
import { RefutedCopies } from './refuted-copies.ts';

export interface StoreParts extends SpeakerParts {
  readonly facts: Facts;
  readonly tables: PluginTables;
  readonly proofs: OriginProofs;
}

/** A function that runs in the transaction after all facts are stored. */
export type Finish = (transaction: PluginTransaction, settled: readonly IngestVerdict[]) => Promise<void>;

/** The maximum number of failing facts in one page. If more fail, the cause is assumed to affect the whole page. */
const MAX_FAILURES = 16;

/**
 * Stores the accepted facts and runs `finish` in one transaction. If a single fact cannot be stored, splits the page so
 * that the other facts are still stored. Returns a result for each candidate, in order.
 */
export const storeCandidates = async (
  candidates: readonly Candidate[],
  page: IngestPage,
  finish: Finish,
  parts: StoreParts,
): Promise<readonly IngestVerdict[]> => {
  const speakerOf = await readPeerSpeakers(candidates, page.peering, parts);
  const storing = new CandidateWriter(page, parts, speakerOf);
  try {
    return await storing.store(candidates, finish);
  } catch (error) {
    if (candidates.length === 0 || isFailureOfAll(error)) throw error;
    const settled = await storing.apart(candidates, error);
    await storing.finishAlone(settled, finish);
    return settled;
  }
};

/** Returns true for a failure of the store or the guard, which applies to the whole page. */
const isFailureOfAll = (error: unknown): boolean => error instanceof ServiceError;

class CandidateWriter {
  readonly #page: IngestPage;
  readonly #parts: StoreParts;
  readonly #principal: Principal;
  readonly #speakerOf: (candidate: Candidate) => PeerSpeaker;
  #failures = 0;

  constructor(page: IngestPage, parts: StoreParts, speakerOf: (candidate: Candidate) => PeerSpeaker) {
    this.#page = page;
    this.#parts = parts;
    this.#principal = peerPrincipal(page.peering, page.scopes);
    this.#speakerOf = speakerOf;
  }

  async store(candidates: readonly Candidate[], finish?: Finish): Promise<readonly IngestVerdict[]> {
    if (candidates.length > 0) return this.#append(candidates, finish);
    if (finish !== undefined) await this.finishAlone([], finish);
    return [];
  }

  /** Splits the candidates in halves until it finds the failing facts. */
  async apart(candidates: readonly Candidate[], cause: unknown): Promise<readonly IngestVerdict[]> {
    const [only] = candidates;
    if (candidates.length === 1 && only !== undefined) {
      this.#failures += 1;
      if (this.#failures > MAX_FAILURES) throw cause;
      return [this.#failed(only)];
    }
    const middle = Math.ceil(candidates.length / 2);
    const settled: IngestVerdict[] = [];
    for (const half of [candidates.slice(0, middle), candidates.slice(middle)]) {
      try {
        settled.push(...(await this.store(half)));
      } catch (error) {
        if (isFailureOfAll(error)) throw error;
        settled.push(...(await this.apart(half, error)));
      }
    }
    return settled;
  }

  async finishAlone(settled: readonly IngestVerdict[], finish: Finish): Promise<void> {
    await this.#parts.tables.write(this.#page.peering.tenantId, async (_own, transaction) => {
      await this.#page.guard?.(transaction);
      await finish(transaction, settled);
    });
  }

  async #append(candidates: readonly Candidate[], finish: Finish | undefined): Promise<readonly IngestVerdict[]> {
    const settle = (verdicts: readonly AppendVerdict[]): IngestVerdict[] =>
      candidates.map((candidate, at) => this.#verdictBy(verdicts[at] as AppendVerdict, candidate));
    let settled: readonly IngestVerdict[] | undefined;
    let refused: { readonly error: unknown } | undefined;
    const verdicts = await this.#parts.facts.appendAll(
      candidates.map((candidate) => this.#draftOf(candidate)),
      this.#principal,
      {
        origin: 'peer',
        exclusive: true,
        unmarked: true,
        guard: async (transaction) => {
          try {
            await this.#page.guard?.(transaction);
            await this.#requireSameNamesakes(candidates, transaction);
          } catch (error) {
            refused = { error };
            throw error;
          }
        },
        beforeCommit: async (transaction, judged) => {
          // If the guard refuses the page, nothing of it may be stored.
          if (refused !== undefined) throw refused.error;
          const found = settle(judged);
          const kept = candidates.flatMap(({ fact, proof: verdict }, at) => {
            const one = judged[at];
            return one?.kind === 'stored' ? [{ stored: one.view.fact, fact, verdict }] : [];
          });
          await this.#parts.proofs.keep(kept, transaction);
          await finish?.(transaction, found);
          settled = found;
        },
      },
    );
    if (settled !== undefined) return settled;
    // The kernel refused all facts before any transaction, so `finish` still has to run.
    const refusals = settle(verdicts);
    if (finish !== undefined) await this.finishAlone(refusals, finish);
    return refusals;
  }

  /** Refuses the page if another transaction has meanwhile stored a fact with the id of one of its facts. */
  async #requireSameNamesakes(candidates: readonly Candidate[], transaction: PluginTransaction): Promise<void> {
    const related = candidates.filter(({ namesakes }) => namesakes.length > 0);
    if (related.length === 0) return;
    const ids = [...new Set(related.map(({ fact }) => fact.draft.id))];
    const { byOriginId } = await readNamesakes(ids, this.#page.peering.tenantId, transaction, this.#parts);
    for (const { fact, namesakes } of related) {
      const now = byOriginId.get(fact.draft.id) ?? [];
      if (now.length !== namesakes.length) throw new PageOutdated();
    }
  }

  #draftOf(candidate: Candidate): FactDraft {
    const { nodeId } = this.#page.peering;
    const { fact, gardenId, localId, copies } = candidate;
    const { draft, originNodeId } = fact;
    const by = this.#speakerOf(candidate);
    const notes = [...noted(PeerSpeaker, by)];
    if (gardenId !== null) notes.push(...noted(QuarantineReason, 'instruction'));
    if (copies.length > 0) notes.push(...noted(RefutedCopies, copies));
    return {
      ...draft,
      id: localId,
      originId: localId === draft.id ? null : draft.id,
      receivedFrom: nodeId,
      originNodeId: originNodeId ?? nodeId,
      speaker: by.key,
      gardenId,
      notes: new Map(notes),
    };
  }

  #verdictBy(verdict: AppendVerdict, candidate: Candidate): IngestVerdict {
    const { draft } = candidate.fact;
    // Another writer has stored a fact with this id.
    if (verdict.kind === 'stored' && verdict.existing) throw new PageOutdated();
    if (verdict.kind === 'stored') return { kind: 'stored', factId: draft.id };
    const error = REFUSALS[verdict.error.code] ?? 'ingest_error';
    // The clock may have been set back since the stamp was checked.
    return error === 'hlc_skew' ? this.#failed(candidate, error) : { kind: 'rejected', factId: draft.id, error };
  }

  /** Returns the result for a fact that may be stored later; a pull parks it. */
  #failed({ fact: { draft } }: Candidate, error: 'ingest_error' | 'hlc_skew' = 'ingest_error'): IngestVerdict {
    if (this.#page.via === 'push') return { kind: 'rejected', factId: draft.id, error };
    const stampMs = (parseHlc(draft.hlcText) as Hlc).wallMs;
    return { kind: 'parked', factId: draft.id, reason: error, stampMs };
  }
}

/** The errors that refuse a fact permanently. All other errors come from plugins, and may be temporary. */
const REFUSALS: Readonly<Record<string, Rejection>> = {
  hlc_skew: 'hlc_skew',
  reserved_namespace: 'reserved_namespace',
  validation: 'invalid_fact',
  [NAMESPACE_OWNED.id]: 'namespace_owned',
};
