import { expect } from 'chai';
import { type Authorizer, type Principal, ServiceError } from '../../ports/ports.ts';
import { rejection } from '../kit/rejection.ts';

export interface AuthorizerSubject {
  readonly authorizer: Authorizer;
  /** A valid credential, and the caller that it identifies. */
  readonly token: string;
  readonly holder: Pick<Principal, 'entityUri' | 'tenantId'>;
  /** The caller that a request without a credential becomes; null if such requests are refused. */
  readonly anybody: Pick<Principal, 'kind' | 'entityUri'> | null;
  /** Revokes the credential, if the authorizer can. */
  revoke?(): Promise<void>;
  /** Makes the backend of the authorizer unreachable, if it has one. */
  disconnect?(): Promise<void>;
  dispose?(): Promise<void>;
}

/** The contract of every authorizer. */
export const describeAuthorizer = (name: string, create: () => Promise<AuthorizerSubject>): void => {
  describe(`${name} as an authorizer`, () => {
    let subject: AuthorizerSubject;
    beforeEach(async () => {
      subject = await create();
    });
    afterEach(() => subject.dispose?.());
    const authenticate = async (token: string | null): Promise<Principal> => subject.authorizer.authenticate(token);
    const refusal = async (token: string | null): Promise<ServiceError> => {
      const error = await rejection(authenticate(token));
      expect(error).to.be.instanceOf(ServiceError);
      return error as unknown as ServiceError;
    };

    it('identifies the holder of a valid credential, every time', async () => {
      for (let time = 0; time < 2; time += 1) {
        const principal = await authenticate(subject.token);
        expect(principal).to.include(subject.holder);
        expect(principal.permissions).to.be.instanceOf(Set);
        expect(principal.allowedScopes).to.be.instanceOf(Set);
      }
    });

    it('treats a request without a credential as declared', async () => {
      if (subject.anybody === null) expect((await refusal(null)).code).to.equal('authentication');
      else expect(await authenticate(null)).to.include(subject.anybody);
    });

    it('refuses every credential that differs from a valid one, always with the same error', async () => {
      const { token } = subject;
      const wrong = [
        '',
        ' ',
        'unknown',
        `${token} `,
        ` ${token}`,
        token.slice(0, -1),
        `${token}x`,
        token.toUpperCase(),
        '\u0000',
        'ü'.repeat(32),
        'x'.repeat(100_000),
        '__proto__',
        "' OR 1=1 --",
      ];
      const refusals = await Promise.all(wrong.filter((text) => text !== token).map(refusal));
      for (const { status, code } of refusals)
        expect({ status, code }).to.deep.equal({ status: 401, code: 'authentication' });
      expect(new Set(refusals.map(({ message }) => message)).size).to.equal(1);
    });

    it('never repeats the credential in a refusal', async () => {
      const { message, hint } = await refusal('not-a-key-but-secret-all-the-same');
      expect(`${message} ${hint ?? ''}`).not.to.include('secret');
    });

    it('refuses a credential as soon as it is revoked', async () => {
      if (subject.revoke === undefined) return;
      await authenticate(subject.token);
      await subject.revoke();
      expect((await refusal(subject.token)).code).to.equal('authentication');
    });

    it('admits no caller while it cannot check credentials', async () => {
      if (subject.disconnect === undefined) return;
      await subject.disconnect();
      const { code, status } = await refusal(`${subject.token}-never-seen`);
      expect({ code, status }).to.deep.equal({ code: 'unavailable', status: 503 });
    });
  });
};
