import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { operatorKeyId } from '../../adapters/sealed/data-keys.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BackupPlace, request } from '../plugins/backup/backup-place.ts';
import { holdKeys } from '../plugins/backup/sealed-place.ts';

forEachStore('a node', (kind) => {
  it('tells its operator whether it is sealed, and with which key', async () => {
    const key = randomBytes(32);
    const told = await BackupPlace.on(kind, fewPlugins('metrics', 'openapi'));
    const env = holdKeys(told, key);
    const tell = async (given: Record<string, string>) => {
      const node = await told.start(given);
      const { contents } = (await request(node, 'GET', '/v1/node')).body;
      const scraped = await (
        await fetch(`${node.url}/v1/metrics`, { headers: { Authorization: `Bearer ${told.env['SVC_BOOTSTRAP_KEY']}` } })
      ).text();
      await node.end();
      // Another node of the machine may use the default port, which the doctor reports.
      const doctor = await told.run(['plugins', 'doctor'], { ...given, SVC_PORT: '0' });
      return { contents, metric: scraped.match(/^svc_store_sealed.*$/m)?.[0], doctor: doctor.stderr };
    };
    try {
      const id = operatorKeyId(key);
      const { doctor, ...sealed } = await tell(env);
      const metric = `svc_store_sealed{key_id="${id}"} 1`;
      expect(sealed).to.deep.equal({ contents: { sealed: true, key_id: id }, metric });
      expect(doctor).to.include(`Contents: sealed with the key ${id}`);
      expect((await told.run(['encryption', 'off'], env)).exitCode).to.equal(0);
      const clear = await tell({});
      expect(clear.contents).to.deep.equal({ sealed: false, key_id: null });
      expect(clear.metric).to.equal('svc_store_sealed{key_id=""} 0');
      expect(clear.doctor).to.include('Contents: clear');
    } finally {
      await told.dispose();
    }
  }).timeout(120_000);
});
