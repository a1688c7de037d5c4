import { expect } from 'chai';
import { type KeySource, OPERATOR_KEY_BYTES } from '../../ports/ports.ts';
import { rejection } from '../kit/rejection.ts';

/** A source of one present key and earlier ones, and what a test may do to it. */
export interface KeySourceSubject {
  readonly source: KeySource;
  /** The keys that the source must give, the present one first. */
  readonly keys: readonly Uint8Array[];
  /** Puts a new key before the others, as an operator rotates. Returns it. */
  rotate(): Promise<Uint8Array>;
  /** Takes all keys away, as by a loss. */
  lose(): Promise<void>;
  stop?(): Promise<void>;
}

/** The contract of every source of the operator's keys. */
export const describeKeySource = (name: string, create: () => Promise<KeySourceSubject> | KeySourceSubject): void => {
  describe(`${name} as a source of keys`, () => {
    let subject: KeySourceSubject;
    beforeEach(async () => {
      subject = await create();
    });
    afterEach(() => subject.stop?.());
    const hexOf = (keys: readonly Uint8Array[]): string[] => keys.map((key) => Buffer.from(key).toString('hex'));

    it('returns the present key first and earlier keys after it, each time the same', async () => {
      const given = await subject.source.readKeys();
      expect(hexOf(given)).to.deep.equal(hexOf(subject.keys));
      expect(given.every((key) => key.length === OPERATOR_KEY_BYTES)).to.equal(true);
      expect(hexOf(await subject.source.readKeys())).to.deep.equal(hexOf(given));
    });

    it('follows a rotation', async () => {
      await subject.source.readKeys();
      const present = await subject.rotate();
      expect(hexOf(await subject.source.readKeys())).to.deep.equal(hexOf([present, ...subject.keys]));
    });

    it('returns keys to several callers at once', async () => {
      const all = await Promise.all([1, 2, 3].map(() => subject.source.readKeys()));
      for (const keys of all) expect(hexOf(keys)).to.deep.equal(hexOf(subject.keys));
    });

    it('rejects with an error for operators when the keys are lost, and shows none of them', async () => {
      await subject.lose();
      const error = await rejection(subject.source.readKeys());
      expect(error).to.have.property('status').that.is.a('number');
      const shown = `${error.message} ${JSON.stringify(error)} ${String((error as { cause?: unknown }).cause)}`;
      for (const key of subject.keys) {
        for (const form of ['hex', 'base64', 'base64url'] as const) {
          expect(shown).not.to.include(Buffer.from(key).toString(form));
        }
      }
    });
  });
};
