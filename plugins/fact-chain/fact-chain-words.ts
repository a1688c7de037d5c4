import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const FACT_CHAIN_MISMATCH = defineErrorCode('fact_chain_mismatch', {
  status: 409,
  summary: 'the chain of facts is broken',
});
