import { expect } from 'chai';
import { withoutSecrets } from '../../../plugins/connect/hooks/secret-values.ts';
import { HARMLESS_LINES, SECRET_LINES } from './secret-table.ts';

const plain = (line: string): string => line.replaceAll(/[⟦⟧]/g, '');
const secretOf = (line: string): string => line.slice(line.indexOf('⟦') + 1, line.indexOf('⟧'));

describe('the masking of secrets in notes', () => {
  it('masks every secret in a hundred lines, and keeps the words around it', () => {
    expect(SECRET_LINES).to.have.lengthOf(100);
    for (const line of SECRET_LINES) {
      const { text, masked } = withoutSecrets(plain(line));
      expect(text, line).not.to.contain(secretOf(line));
      expect(text.slice(0, line.indexOf('⟦')), line).to.equal(line.slice(0, line.indexOf('⟦')));
      expect(masked, line).to.equal(1);
    }
  });

  it('leaves a hundred lines without secrets unchanged, except two at most', () => {
    expect(HARMLESS_LINES).to.have.lengthOf(100);
    const changed = HARMLESS_LINES.filter((line) => withoutSecrets(line).text !== line);
    expect(changed, changed.join('\n')).to.have.lengthOf.at.most(2);
  });

  it('masks the same secrets when all lines form one text', () => {
    const { text } = withoutSecrets(SECRET_LINES.map(plain).join('\n'));
    for (const line of SECRET_LINES) expect(text, line).not.to.contain(secretOf(line));
  });

  it('masks a private key over several lines, also a truncated one, but no public key', () => {
    const block = (name: string) => `-----BEGIN ${name}-----\nMIIEow\nabc+/\n-----END ${name}-----`;
    for (const name of ['RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK']) {
      const { text } = withoutSecrets(`before\n${block(name)}\nafter`);
      expect(text).to.equal(`before\n-----BEGIN ${name}-----\n***\n-----END ${name}-----\nafter`);
    }
    expect(withoutSecrets('-----BEGIN PRIVATE KEY-----\\nMIIEow\\n').text).to.equal('-----BEGIN PRIVATE KEY-----***');
    for (const name of ['CERTIFICATE', 'PUBLIC KEY']) expect(withoutSecrets(block(name)).text).to.equal(block(name));
  });

  it('masks a secret in the line after its name', () => {
    expect(withoutSecrets('The password is:\nhunter22\nand go on').text).to.equal('The password is:\n***\nand go on');
  });
});
