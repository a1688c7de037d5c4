import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { LocationProvider } from 'preact-iso/router';
import { AuthenticationError, FactMemoryError } from '../../../../client/client.ts';
import { consolePath } from '../kit/platform.ts';
import { Problem } from '../kit/problem.tsx';
import { useRequest } from '../kit/use-request.ts';
import { useTexts } from '../kit/use-texts.ts';
import { returnFromProvider, SignInRefusal } from '../session/provider-sign-in.ts';
import { readSetup } from '../session/read-setup.ts';
import { type Session, SessionContext } from '../session/session.ts';
import { readStoredKey, storeKey } from '../session/stored-key.ts';
import type { Texts } from '../texts/texts.ts';
import { Frame } from './frame.tsx';
import { Shell } from './shell.tsx';
import { type SignedIn, SignIn, signInWith } from './sign-in.tsx';

/** The console: the sign-in, then the screens. */
export const App = () => {
  const texts = useTexts();
  const setup = useRequest(() => readSetup(), []);
  const [signedIn, setSignedIn] = useState<SignedIn | undefined>();
  const [notice, setNotice] = useState<string | undefined>();
  const [failure, setFailure] = useState<unknown>();
  const [isKnown, setKnown] = useState(false);
  const leave = useCallback((why: string | undefined) => {
    storeKey(undefined);
    setNotice(why);
    setFailure(undefined);
    setSignedIn(undefined);
  }, []);
  const enter = async (key: string | undefined): Promise<void> =>
    setSignedIn(await signInWith(key, () => leave(texts.signIn.ended)));
  const begin = (): void => {
    setKnown(false);
    setFailure(undefined);
    resume(enter)
      .catch((error: unknown) => {
        const said = noticeOf(error, texts);
        setNotice(said);
        if (said === undefined) setFailure(error);
      })
      .finally(() => setKnown(true));
  };
  useLayoutEffect(begin, []);
  const signIn = async (key: string, keep: boolean): Promise<void> => {
    await enter(key);
    storeKey(keep ? key : undefined);
  };
  const signOut = useCallback(() => leave(undefined), [leave]);
  const session = useMemo<Session | undefined>(
    () => signedIn && setup.data && { ...signedIn, setup: setup.data, texts, signOut },
    [signedIn, setup.data, texts, signOut],
  );
  if (setup.error !== undefined) return <Problem error={setup.error} retry={setup.reload} />;
  if (!isKnown || setup.data === undefined) return <Shell />;
  if (session === undefined) {
    const { display_name: product, has_sign_in: hasProvider, asks_for_key: asksForKey } = setup.data;
    const enterOpenly = asksForKey ? undefined : () => enter(undefined);
    const ways = { hasProvider, signIn, enterOpenly };
    // The code of a provider can be redeemed once.
    const canRetry = !asksForKey || readStoredKey() !== undefined;
    return (
      <SignIn product={product} notice={notice} {...ways}>
        {failure !== undefined && <Problem error={failure} {...(canRetry && { retry: begin })} />}
      </SignIn>
    );
  }
  return (
    <SessionContext.Provider value={session}>
      <LocationProvider scope={consolePath()}>
        <Frame />
      </LocationProvider>
    </SessionContext.Provider>
  );
};

/** Resumes with the key of this tab, with a key from the provider, or without a key if the node requires none. */
const resume = async (enter: (key: string | undefined) => Promise<void>): Promise<void> => {
  const given = await returnFromProvider().catch((error: unknown) => {
    const isRefused = error instanceof FactMemoryError && error.status < 500 && error.status !== 429;
    throw isRefused ? new SignInRefusal('refused') : error;
  });
  if (given !== undefined) storeKey(given);
  const key = given ?? readStoredKey();
  if (key === undefined && (await readSetup()).asks_for_key) return;
  try {
    await enter(key);
  } catch (error) {
    // An unreachable node has not refused the key.
    if (!(error instanceof AuthenticationError)) throw error;
    storeKey(undefined);
    if ((await readSetup()).asks_for_key) throw error;
    await enter(undefined);
  }
};

/** The reason why the reader signs in again; undefined for a node that could not say whether the key still works. */
const noticeOf = (error: unknown, { signIn }: Texts): string | undefined => {
  if (error instanceof SignInRefusal) return error.message === 'foreign' ? signIn.foreign : signIn.providerRefused;
  return error instanceof AuthenticationError ? signIn.ended : undefined;
};
