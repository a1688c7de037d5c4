import { join } from 'node:path';
import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import { loadNodeConfig } from '../../config/node-config.ts';
import type { NodeConfigInput } from '../../config/read-config-file.ts';
import type { Environment } from '../../kernel/plugins/environment-value.ts';
import { EarlierEmbedders, Embedder } from '../../ports/ports.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createMemoryLogger } from '../fakes/memory-logger.ts';
import { createScriptedEmbedder } from '../fakes/scripted-embedder.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const unreachable = () => Promise.reject(new Error('not reached'));

const embedderOf = async (env: Environment, overrides: NodeConfigInput = {}): Promise<Embedder> => {
  const { embedder, problems } = await loadNodeConfig({ env, overrides });
  expect(problems).to.deep.equal([]);
  return embedder.adapter.create(embedder.settings, {
    clock: createManualClock(),
    fraction: () => 0.5,
    report: () => undefined,
    transport: { send: unreachable, refusal: unreachable, serve: unreachable },
  });
};

describe('the embedder of a node', () => {
  it('needs no settings by default', async () => {
    const embedder = await embedderOf({});
    expect([embedder.id, embedder.dimensions]).to.deep.equal(['words-3-768', 768]);
    const short = await embedderOf({ SVC_EMBED_DIMENSIONS: '256' });
    expect([short.id, short.dimensions]).to.deep.equal(['words-3-256', 256]);
    expect(short.similarityFloor).to.be.above(embedder.similarityFloor);
    expect((await short.embed(['a text'], 'query'))[0]).to.have.length(256);
  });

  it('is an endpoint when the settings name one', async () => {
    const env = { SVC_EMBED_URL: 'http://localhost:11434/v1', SVC_EMBED_MODEL: 'tiny', SVC_EMBED_DIMENSIONS: '384' };
    const embedder = await embedderOf({ ...env, SVC_EMBED_SIMILARITY_FLOOR: '0.7' });
    expect([embedder.id, embedder.dimensions, embedder.similarityFloor]).to.deep.equal(['http:tiny:384', 384, 0.7]);
    const file = { adapters: { embedder: { use: 'http', url: 'http://localhost:1/v1', model: 'other' } } };
    expect((await embedderOf({}, file)).id).to.equal('http:other:768');
  });

  it('is a local model when the settings name a folder', async () => {
    const embedder = await embedderOf({ SVC_EMBED_MODEL_FOLDER: '/models/tiny', SVC_EMBED_DIMENSIONS: '256' });
    expect([embedder.id, embedder.dimensions]).to.deep.equal(['model:tiny:q8:256:norm:search_document:', 256]);
  });

  it('is refused with the mistake, and without printing the key', async () => {
    const problems = async (env: Environment): Promise<string[]> =>
      (await loadNodeConfig({ env })).problems.map(({ message, hint }) => `${message} ${hint ?? ''}`);
    expect((await problems({ SVC_EMBED_DIMENSIONS: '512' })).join()).to.include('256, 768');
    expect((await problems({ SVC_EMBED_URL: 'http://localhost:1/v1' })).join()).to.include('model');
    const secret = (
      await problems({ SVC_EMBED_URL: 'ftp://x', SVC_EMBED_MODEL: 'm', SVC_EMBED_API_KEY: 'two words' })
    ).join();
    expect(secret).to.include('SVC_EMBED_URL').and.include('SVC_EMBED_API_KEY').and.not.include('two words');
    const { report } = await loadNodeConfig({
      env: { SVC_EMBED_URL: 'http://localhost:1/v1', SVC_EMBED_MODEL: 'm', SVC_EMBED_API_KEY: 'secret-1' },
    });
    expect(JSON.stringify(report)).to.not.include('secret-1');
    const refused = await loadNodeConfig({ env: {}, overrides: { adapters: { embedder: { use: 'oracle' } } } });
    expect(refused.problems[0]?.message).to.equal(
      'adapters.embedder.use accepts one of hashing, http, local-model, sentence-model, words',
    );
  });

  it('recognises the previous embedder from its variables, and always the built-in one', async () => {
    const env = {
      SVC_EMBED_URL: 'http://localhost:1/v1',
      SVC_EMBED_MODEL: 'new',
      SVC_EMBED_PREVIOUS_URL: 'http://localhost:2/v1',
      SVC_EMBED_PREVIOUS_MODEL: 'old',
      SVC_EMBED_PREVIOUS_DIMENSIONS: '384',
    };
    await inTemporaryFolder(async (folder) => {
      const node = await createNode({
        env: { ...env, SVC_DB_PATH: join(folder, 'svc.db') },
        adapters: { log: createMemoryLogger([]) },
        overrides: { adapters: { transport: { port: 0 } } },
      });
      try {
        await node.prepare();
        const ids = [
          'http:old:384',
          'http:new:768',
          'words-3-768',
          'words-3-256',
          'hashing-1-768',
          'hashing-1-768/256',
        ];
        const earlier = node.kernel.get(EarlierEmbedders);
        expect(ids.map((id) => earlier.find(id)?.dimensions)).to.deep.equal([384, undefined, 768, 256, 768, 256]);
      } finally {
        await node.stop();
      }
    });
  });

  it('is replaced by the embedder of an embedding program', async () => {
    await inTemporaryFolder(async (folder) => {
      const mine = createScriptedEmbedder();
      const node = await createNode({
        env: { SVC_DB_PATH: join(folder, 'svc.db') },
        adapters: { log: createMemoryLogger([]), extras: [{ ref: Embedder, create: () => mine }] },
        overrides: { adapters: { transport: { port: 0 } } },
      });
      try {
        await node.prepare();
        expect(node.kernel.get(Embedder)).to.equal(mine);
      } finally {
        await node.stop();
      }
    });
  });
});
