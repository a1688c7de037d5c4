import { readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../../../adapters/cli/spawned-program.ts';

describe('the audit commands', function () {
  this.timeout(300_000);
  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  it('verify the log, export it, and verify the export without a store', async () => {
    expect((await place.run(['init'])).exitCode).to.equal(0);
    const verified = await place.run(['audit', 'verify']);
    expect([verified.exitCode, verified.stderr]).to.deep.equal([0, '']);
    expect(verified.stdout).to.match(/^(?:1 entry holds|\d+ entries hold)\n$/);
    const later = await place.run(['audit', 'verify', '--from', '1', '--json']);
    expect(JSON.parse(later.stdout)).to.include({ ok: true, tenant_id: 'default', next_cursor: null });
    const exported = await place.run(['audit', 'export', '--out', 'audit.jsonl']);
    expect(exported).to.deep.include({ exitCode: 0, stdout: '' });
    expect(statSync(place.path('audit.jsonl')).mode & 0o777).to.equal(0o600);
    const printed = await place.run(['audit', 'export']);
    expect(printed.stdout).to.equal(readFileSync(place.path('audit.jsonl'), 'utf8'));
    const file = await place.run(['audit', 'verify', '--file', 'audit.jsonl'], { SVC_DATA_FOLDER: 'nowhere' });
    expect([file.exitCode, file.stderr]).to.deep.equal([0, '']);
    expect((await place.run(['audit', 'export', '--out', 'audit.jsonl'])).stderr).to.contain(
      'audit.jsonl exists already',
    );
  });
});
