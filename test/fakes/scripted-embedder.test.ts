import { describeEmbedder } from '../contract/embedder-contract.ts';
import { createScriptedEmbedder } from './scripted-embedder.ts';

describeEmbedder('the scripted embedder', () => ({
  embedder: createScriptedEmbedder({ a: [1, 0, 0, 0, 0, 0, 0, 0] }),
}));
