import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { remoteName } from '../../../plugins/connect/hooks/project.ts';
import { hookUsers } from './hooked-user.ts';

describe('hooks in several projects', () => {
  const at = hookUsers();

  const folder = async (path: string): Promise<string> => {
    const made = join(at.user.home, path);
    await mkdir(made, { recursive: true });
    return made;
  };
  const repository = async (path: string, url?: string): Promise<string> => {
    const made = await folder(path);
    const remote = url === undefined ? '' : `[remote "origin"]\n\turl = ${url}\n`;
    await at.user.write(join(made, '.git/config'), `[core]\n\tbare = false\n${remote}`);
    await at.user.write(join(made, '.git/HEAD'), 'ref: refs/heads/main\n');
    return made;
  };
  const worktree = async (path: string, of: string): Promise<string> => {
    const own = join(of, '.git/worktrees', path);
    await at.user.write(join(own, 'commondir'), '../..\n');
    await at.user.write(join(own, 'HEAD'), `ref: refs/heads/${path}\n`);
    const made = await folder(path);
    await at.user.write(join(made, '.git'), `gitdir: ${own}\n`);
    return made;
  };
  const note = async (cwd: string, text: string): Promise<void> => {
    const line = { type: 'user', uuid: text, message: { role: 'user', content: text } };
    await at.user.write('t.jsonl', JSON.stringify(line));
    at.nextSession();
    await at.hook('session-end', 'claude-code', { cwd, transcript_path: join(at.user.home, 't.jsonl') });
  };
  const start = async (cwd: string, ...more: string[]): Promise<string> => {
    at.nextSession();
    return (await at.hook('session-start', 'claude-code', { cwd, source: 'startup' }, more)).stdout;
  };
  const ask = async (cwd: string, prompt: string, ...more: string[]): Promise<string> => {
    at.nextSession();
    return (await at.hook('prompt', 'claude-code', { cwd, prompt }, more)).stdout;
  };

  it('recall no note of another project, even if both folders have one name', async () => {
    const payroll = await repository('p/payroll');
    await note(payroll, 'Salary of the night shift goes up by four percent in March');
    const others = [await folder('q/blank'), await folder('q/payroll'), await repository('r/payroll'), at.user.home];
    for (const other of others) {
      expect(await start(other), other).to.equal('');
      expect(await ask(other, 'When does the salary of the night shift go up?'), other).to.equal('');
    }
    expect(await start(payroll)).to.contain('four percent');
    expect(await ask(payroll, 'When does the salary of the night shift go up?')).to.contain('four percent');
  });

  it('treat two repositories as one project only if their whole remote addresses are equal', async () => {
    const web = await repository('one/web', 'git@github.com:acme/web.git');
    const clone = await repository('two/copy', 'https://noor:t0ken@GitHub.com/acme/web');
    const zeta = await repository('zeta/web', 'https://github.com/zeta/web.git');
    const longer = await repository('three/sub', 'https://github.com/acme/web/note.git');
    await note(web, 'The landing page uses the blue theme');
    expect(await start(clone)).to.contain('blue theme');
    expect(await start(zeta)).to.equal('');
    expect(await start(longer)).to.equal('');
    expect((await at.notes('github.com/acme/web')).map(({ v }) => v)).to.deep.equal([
      'The landing page uses the blue theme',
    ]);
    await note(longer, 'The manual is printed in Bergen');
    expect(await start(web)).not.to.contain('Bergen');
  });

  it('treat worktrees and subfolders as parts of their repository', async () => {
    const shop = await repository('work/shop');
    const feature = await worktree('feature-login', shop);
    const deep = await folder('work/shop/packages/cart');
    await note(feature, 'The login form asks for the postal code');
    await note(deep, 'The cart keeps its rows for nine days');
    for (const place of [shop, feature, deep]) {
      expect(await start(place))
        .to.contain('postal code')
        .and.to.contain('nine days');
    }
  });

  it('recall notes of all projects with --share-notes', async () => {
    await note(await repository('a/mill'), 'Flour comes from the mill in Lund');
    const other = await repository('b/bakery');
    expect(await ask(other, 'Where does our flour come from?')).to.equal('');
    expect(await ask(other, 'Where does our flour come from?', '--share-notes')).to.contain('Lund');
    expect(await start(other, '--share-notes')).to.contain('Lund');
  });

  it('recall facts outside the project only if they match the prompt', async () => {
    const blank = await folder('blank');
    await at.say('memory:rota', 'The harbour office opens at seven on weekdays', 'office:harbour');
    expect(await ask(blank, 'When does the harbour office open?')).to.contain('at seven');
    for (const prompt of ['How do I centre a box in CSS?', 'Please rename this variable in the parser']) {
      expect(await ask(blank, prompt), prompt).to.equal('');
    }
    expect(await start(blank)).to.equal('');
    expect(await start(await repository('harbour'))).to.contain('at seven');
  });

  it('find notes of the project although many notes of other projects match better', async () => {
    const [mine, other] = [await repository('mine'), await repository('other')];
    await note(mine, 'The pump in hall three leaks oil');
    const facts = Array.from({ length: 400 }, (_, number) => ({
      entity: `project:${other}/note/${number.toString(16).padStart(16, '0')}`,
      relation: 'memory:said',
      value: { type: 'string', v: `The pump in hall three leaks, report ${number}` },
      source: 'user:noor',
      scope: 'local',
    }));
    expect((await at.user.node.ask('POST', '/v1/facts/batch', facts)).status).to.equal(200);
    expect(await ask(mine, 'Which pump in hall three leaks?'))
      .to.contain('leaks oil')
      .and.not.to.contain('report');
  });

  it('derive one project name from all spellings of a remote address', () => {
    for (const url of [
      'git@host.example:acme/web.git',
      'host.example:acme/web',
      'ssh://git@host.example:22/acme/web.git',
      'https://noor:t0ken@host.example:443/acme/web/',
      'git://host.example/acme/web.git',
    ]) {
      expect(remoteName(url), url).to.equal('host.example/acme/web');
    }
    for (const path of ['/srv/git/web.git', '../web', 'file:///srv/web', 'C:\\git\\web', 'C:/git/web', '']) {
      expect(remoteName(path), path).to.equal(undefined);
    }
  });
});
