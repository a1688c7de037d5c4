import { expect } from 'chai';
import { loadNodeConfig } from '../../config/node-config.ts';

describe('variables of a file with Windows line ends', () => {
  it('count as not set where they hold only the carriage return', async () => {
    const names = ['SVC_DATABASE_URL', 'SVC_EMBED_URL', 'SVC_EMBED_MODEL_FOLDER', 'SVC_EMBED_SENTENCE_MODEL'];
    names.push('SVC_ENCRYPTION_KEY_FILE', 'SVC_ENCRYPTION_KEY_COMMAND', 'SVC_EMBED_PREVIOUS_URL');
    const { problems, ...config } = await loadNodeConfig({
      env: Object.fromEntries(names.map((name) => [name, '\r'])),
    });
    expect(problems).to.deep.equal([]);
    expect([config.store.adapter.name, config.embedder.adapter.name]).to.deep.equal(['sqlite', 'words']);
    expect([config.previousEmbedder, config.keySource]).to.deep.equal([undefined, undefined]);
  });
});
