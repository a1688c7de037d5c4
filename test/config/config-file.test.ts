import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadNodeConfig } from '../../config/node-config.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const messagesFor = (content: string | Buffer): Promise<string[]> =>
  inTemporaryFolder(async (folder) => {
    const configFile = join(folder, 'node.json');
    await writeFile(configFile, content);
    const { problems } = await loadNodeConfig({ configFile, env: {} });
    return problems.map(({ message }) => message);
  });

describe('the configuration file', () => {
  it('may begin with a byte order mark', async () => {
    expect(await messagesFor('\uFEFF{ "node": { "logLevel": "warn" } }')).to.deep.equal([]);
  });

  it('is refused if a name occurs twice, because only one of the two would count', async () => {
    const [message] = await messagesFor('{\n "plugins": { "billing": false },\n "plugins": { "audit": false }\n}');
    expect(message).to.include('a member name that its object already has at line 3, column 2');
  });

  it('is refused in another encoding than UTF-8', async () => {
    const [message] = await messagesFor(Buffer.from('\uFEFF{}', 'utf16le'));
    expect(message).to.equal('the configuration file is not valid UTF-8');
  });
});
