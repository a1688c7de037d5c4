import { expect } from 'chai';
import { createServiceNames, DEFAULT_SERVICE_NAME } from '../../../kernel/identity/service-names.ts';
import { thrownError } from '../../kit/thrown-error.ts';

describe('service names', () => {
  it('derive every identifier from the default name', () => {
    const names = createServiceNames(DEFAULT_SERVICE_NAME);
    expect(names.metadataPath).to.equal('/.well-known/svc');
    expect(names.headers).to.deep.equal({
      session: 'Svc-Session',
      verify: 'Svc-Verify',
      remaining: 'Svc-Remaining',
      eventId: 'X-Svc-Event-Id',
    });
    expect(names.header('Capability')).to.equal('X-Svc-Capability');
    expect(names.prefix).to.equal('svc:');
    expect(names.scheme).to.equal('svc://');
    expect(names.meta('conflict:between')).to.equal('svc:conflict:between');
    expect(names.systemSource).to.equal('system:svc');
    expect(names.nodeId('1')).to.equal('svc:node:1');
    expect(names.factEntity('3')).to.equal('svc:fact:3');
    expect(names.gardenUri('alpha.example', 'roses')).to.equal('svc://alpha.example/garden/roses');
    expect(names.problemType('lookup')).to.equal('urn:svc:problem:lookup');
    expect(names.chainCheckpointKind).to.equal('svc.fact_chain_checkpoint');
  });

  it('derive every identifier from another name too', () => {
    const names = createServiceNames('kb-2');
    const everything = JSON.stringify([
      names,
      names.meta('ttl'),
      names.nodeId('u'),
      names.header('Noun'),
      names.factEntity('u'),
      names.gardenUri('a', 's'),
      names.problemType('c'),
    ]);
    expect(everything).not.to.match(/svc/i);
    expect(names.headers.session).to.equal('Kb-2-Session');
    expect(names.header('Capability')).to.equal('X-Kb-2-Capability');
  });

  it('accept 1 to 32 characters', () => {
    expect(createServiceNames('a').prefix).to.equal('a:');
    expect(createServiceNames('a'.repeat(32)).name).to.have.length(32);
  });

  for (const bad of ['', 'Svc', '1svc', '-svc', 'sv c', 'svc\n', 'svc:', 'süd', 'a'.repeat(33)]) {
    it(`refuse ${JSON.stringify(bad)} and name the pattern`, () => {
      const error = thrownError(() => createServiceNames(bad));
      expect(error.code).to.equal('validation');
      expect(error.message).to.contain('^[a-z][a-z0-9-]{0,31}$');
    });
  }
});
