import { CheckpointLog } from '../../kernel/plugin-api.ts';

export const CHECKPOINTS_TABLE = 'fact_chain_checkpoints';

/** A row for each tenant whose facts were linked anew: the head of its old chain, and the same place of the new one. */
export const ANCHORS_TABLE = 'fact_chain_anchors';

export const CHECKPOINTS = new CheckpointLog(CHECKPOINTS_TABLE);
