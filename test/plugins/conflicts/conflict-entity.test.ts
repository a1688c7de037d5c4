import { expect } from 'chai';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { conflictEntity } from '../../../plugins/conflicts/conflict-entity.ts';

describe('the entity of a conflict', () => {
  it('carries the name of the service', () => {
    expect(conflictEntity('2', createServiceNames('svc'))).to.equal('svc:conflict:2');
    expect(conflictEntity('u', createServiceNames('kb-2'))).to.equal('kb-2:conflict:u');
  });
});
