import { all, equals, isIn, type PluginTables, type Random } from '../../../kernel/plugin-api.ts';
import type { KnownFact, ProofVerdict } from '../proofs/origin-proof.ts';
import type { Candidate, IngestVerdict } from './ingest.ts';
import { localIdOf, rankOf, unforeseenIdOf } from './local-id.ts';
import { type Arrival, type Namesake, type Namesakes, namesakeOf, relationOf, repeatedBy } from './namesakes.ts';
import { wouldExtend } from './same-tuple.ts';

/** A fact of the page together with the verdict on its proof. */
export interface JudgedArrival extends Omit<Arrival, 'isProven'> {
  /** The index of the fact in the page. */
  readonly at: number;
  readonly proof: ProofVerdict;
}

const NONE: readonly Namesake[] = [];

/**
 * Decides about the facts of a page one by one: compares each with the stored facts and with the earlier facts of the
 * page.
 */
export class PageSettlement {
  readonly verdicts: (IngestVerdict | undefined)[];
  readonly candidates: Candidate[] = [];
  /** The ids of known facts for which the peer sent a later expiry. */
  readonly extended: string[] = [];
  /** The facts of the page that this node has already and that came with a proof. */
  readonly known: KnownFact[] = [];
  readonly #namesakes: Map<string, readonly Namesake[]>;
  readonly #stored: Namesakes;

  constructor(stored: Namesakes, length: number) {
    this.#stored = stored;
    this.#namesakes = new Map(stored.byOriginId);
    this.verdicts = new Array(length).fill(undefined);
  }

  /** Records the result for a fact that is known regardless of its proof. Returns false for any other fact. */
  settleKnown({ at, fact, ...nodes }: Omit<JudgedArrival, 'proof'>): boolean {
    const of = repeatedBy({ fact, ...nodes }, this.#namesakesOf(fact.draft.id));
    if (of === undefined || !(of.isProven || fact.proof === null)) return false;
    this.#know({ at, fact, ...nodes }, of);
    return true;
  }

  /** Returns true if the fact repeats one that is stored already. */
  repeats(arrival: JudgedArrival): boolean {
    return repeatedBy(arrival, this.#namesakesOf(arrival.fact.draft.id)) !== undefined;
  }

  /** Records the result for a fact. `refusal` applies unless the fact is known or collides with another fact. */
  settle({ at, proof, ...arrival }: JudgedArrival, refusal: IngestVerdict | undefined, gardenId: string | null): void {
    const { fact } = arrival;
    const { id } = fact.draft;
    const namesakes = this.#namesakesOf(id);
    const proved: Arrival = { ...arrival, isProven: proof === 'verified' };
    const relation = relationOf(proved, namesakes);
    if (relation.kind === 'collision') {
      const isPassedOn = arrival.originKey !== arrival.senderKey;
      this.verdicts[at] = { kind: 'rejected', factId: id, error: 'id_collision', isPassedOn };
    } else if (relation.kind === 'known') this.#know({ at, ...arrival }, relation.of);
    else if (refusal !== undefined) this.verdicts[at] = refusal;
    else {
      const stored = this.#stored.byOriginId.get(id) ?? NONE;
      const localId = freeIdOf(proved, namesakes, this.#stored.taken);
      this.candidates.push({
        at,
        fact,
        proof,
        gardenId,
        localId,
        namesakes: stored.map(({ said }) => said.id),
        copies: relation.copies.filter((copy) => stored.includes(copy)).map(({ said }) => said.id),
      });
      this.#namesakes.set(id, [...namesakes, namesakeOf(proved, localId)]);
    }
  }

  #namesakesOf(id: string): readonly Namesake[] {
    return this.#namesakes.get(id) ?? NONE;
  }

  #know({ at, fact, senderKey }: Omit<JudgedArrival, 'proof'>, { said, senderKey: known }: Namesake): void {
    const { draft } = fact;
    if (fact.proof !== null) this.known.push({ at, fact, id: said.id, isSameSender: senderKey === known });
    this.verdicts[at] = { kind: 'known', factId: draft.id };
    if (wouldExtend(said, draft)) this.extended.push(draft.id);
  }
}

/** Returns the fact's own id if it is free, and otherwise a local id. */
const freeIdOf = (arrival: Arrival, namesakes: readonly Namesake[], taken: ReadonlySet<string>): string => {
  const { id } = arrival.fact.draft;
  const first = namesakes.find(({ said }) => said.id === id);
  if (first === undefined && !taken.has(id)) return id;
  return localIdOf(id, rankOf(id, namesakeOf(arrival, id)), first === undefined ? '' : rankOf(id, first));
};

/** Gives another id to facts whose local id a stored fact has already. A peer can cause that on purpose. */
export const withFreeIds = async (
  candidates: readonly Candidate[],
  tenantId: string,
  { tables, random }: { readonly tables: PluginTables; readonly random: Random },
): Promise<readonly Candidate[]> => {
  const local = candidates.filter(({ localId, fact }) => localId !== fact.draft.id).map(({ localId }) => localId);
  if (local.length === 0) return candidates;
  const found = await tables.read((_own, snapshot) =>
    snapshot.outline(all(equals('tenantId', tenantId), isIn('id', local))),
  );
  const taken = new Set(found.map(({ id }) => id));
  const firsts = new Set(candidates.filter(({ localId, fact }) => localId === fact.draft.id).map((one) => one.localId));
  return candidates.map((one) => {
    const isTaken = one.localId !== one.fact.draft.id && (taken.has(one.localId) || firsts.has(one.localId));
    return isTaken ? { ...one, localId: unforeseenIdOf(one.fact.draft.id, random) } : one;
  });
};
