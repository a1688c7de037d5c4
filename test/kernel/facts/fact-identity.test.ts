import { expect } from 'chai';
import { readEntityUri, readRelation } from '../../../kernel/facts/fact-identity.ts';
import { thrownError } from '../../kit/thrown-error.ts';

describe('entities and sources', () => {
  it('may be any text of 1 to 2048 characters, which is trimmed', () => {
    expect(readEntityUri('  user:alice\n', 'body.entity')).to.equal('user:alice');
    expect(readEntityUri('bare opaque id', 'body.entity')).to.equal('bare opaque id');
    expect(readEntityUri('x'.repeat(2048), 'body.entity')).to.have.length(2048);
    expect(readEntityUri('😀'.repeat(2048), 'body.entity')).to.have.length(4096);
    expect(readEntityUri('Ünï:✓', 'body.entity')).to.equal('Ünï:✓');
  });

  const bad = [
    '',
    ' \t ',
    'x'.repeat(2049),
    '😀'.repeat(2049),
    'a\u0000',
    'a\nb',
    'a\u001fb',
    'a\u007fb',
    'a\u0085b',
    'a\ud800',
    'x'.repeat(1e6),
  ];
  for (const text of bad) {
    it(`refuse ${JSON.stringify(text.slice(0, 12))} of ${text.length} units as invalid_entity_uri`, () => {
      const error = thrownError(() => readEntityUri(text, 'body.entity'));
      expect([error.code, error.status]).to.deep.equal(['invalid_entity_uri', 422]);
      expect(error.violations).to.have.length(1);
      expect(error.violations?.[0]?.path).to.equal('body.entity');
      expect(error.message)
        .to.match(/^body\.entity must /)
        .and.have.length.below(100);
    });
  }

  for (const input of [undefined, null, 5, true, ['user:alice'], { v: 'user:alice' }]) {
    it(`refuse ${JSON.stringify(input)} as a violation of the schema`, () => {
      const error = thrownError(() => readEntityUri(input, 'body.source'));
      expect([error.code, error.status]).to.deep.equal(['validation', 422]);
      expect(error.violations).to.deep.equal([{ path: 'body.source', message: 'must be a string' }]);
    });
  }

  it('return 400 in a query, a path or a header', () => {
    for (const path of ['query.entity', 'path.entity_uri', 'header.x']) {
      const error = thrownError(() => readEntityUri('', path));
      expect([error.code, error.status]).to.deep.equal(['invalid_entity_uri', 400]);
      expect(thrownError(() => readRelation('a b', path)).status).to.equal(400);
    }
    expect(thrownError(() => readEntityUri('', 'body[2].entity')).status).to.equal(422);
    expect(thrownError(() => readEntityUri('', 'pathology')).status).to.equal(422);
  });
});

describe('relations', () => {
  it('are 1 to 256 characters without white space, with or without a namespace', () => {
    for (const text of ['memory:role', 'role', 'a:b:c', 'Ünï:✓', 'r'.repeat(256), '😀'.repeat(256)]) {
      expect(readRelation(text, 'body.relation')).to.equal(text);
    }
  });

  const bad = [
    '',
    ' ',
    'a b',
    ' memory:role',
    'a\tb',
    'a\u00a0b',
    'a\u0085b',
    'a\u0000b',
    'a\u0007b',
    'a\ud800',
    'r'.repeat(257),
    'a:'.repeat(25_000),
  ];
  for (const text of bad) {
    it(`refuse ${JSON.stringify(text.slice(0, 12))} of ${text.length} units`, () => {
      const error = thrownError(() => readRelation(text, 'body.relation'));
      expect([error.code, error.status]).to.deep.equal(['validation', 422]);
      expect(error.violations?.map(({ path }) => path)).to.deep.equal(['body.relation']);
    });
  }

  it('refuse values that are no strings', () => {
    for (const input of [undefined, null, 0, [], {}]) {
      expect(thrownError(() => readRelation(input, 'body.relation')).code).to.equal('validation');
    }
  });
});
