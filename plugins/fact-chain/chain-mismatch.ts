import { ServiceError } from '../../kernel/plugin-api.ts';
import { FACT_CHAIN_MISMATCH } from './fact-chain-words.ts';

/** The first invalid place of a chain. `factId` is null if the fact is missing. */
export interface BrokenPlace {
  readonly seq: number;
  readonly factId: string | null;
}

export const chainMismatch = (reason: string, { seq, factId }: BrokenPlace): ServiceError =>
  new ServiceError(FACT_CHAIN_MISMATCH, `the chain of facts is broken at link ${seq}: ${reason}`, {
    hint: 'the store was changed from outside; compare it with a backup or a peer',
    members: { mismatch_reason: reason, fact_id: factId, chain_seq: seq },
  });
