import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const GRAPH_DEPTH_EXCEEDED = defineErrorCode('graph_depth_exceeded', {
  status: 400,
  summary: 'a walk goes deeper than the graph does',
});
