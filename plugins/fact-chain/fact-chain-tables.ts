import { CheckpointLog } from '../../kernel/internal-api.ts';

export const CHECKPOINTS_TABLE = 'fact_chain_checkpoints';

export const CHECKPOINTS = new CheckpointLog(CHECKPOINTS_TABLE);
