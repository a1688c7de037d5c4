import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { LocationProvider } from 'preact-iso/router';
import { Problem } from '../kit/problem.tsx';
import { Loading } from '../kit/state.tsx';
import { useAsked } from '../kit/use-asked.ts';
import { useTexts } from '../kit/use-texts.ts';
import { keepKey, readKeptKey } from '../session/kept-key.ts';
import { readSetup } from '../session/read-setup.ts';
import { type Session, SessionContext } from '../session/session.ts';
import { Frame } from './frame.tsx';
import { type SignedIn, SignIn, signInWith } from './sign-in.tsx';

/** The console: the sign-in, and behind it the screens. */
export const App = () => {
  const texts = useTexts();
  const setup = useAsked(() => readSetup(), []);
  const [signedIn, setSignedIn] = useState<SignedIn | undefined>();
  const [notice, setNotice] = useState<string | undefined>();
  const [isKnown, setKnown] = useState(readKeptKey() === undefined);
  useEffect(() => {
    const key = readKeptKey();
    if (key === undefined) return;
    signInWith(key)
      .then(setSignedIn, () => {
        keepKey(undefined);
        setNotice(texts.signIn.ended);
      })
      .finally(() => setKnown(true));
  }, []);
  const signOut = useCallback(() => {
    keepKey(undefined);
    setNotice(undefined);
    setSignedIn(undefined);
  }, []);
  const session = useMemo<Session | undefined>(
    () => signedIn && setup.data && { ...signedIn, setup: setup.data, texts, signOut },
    [signedIn, setup.data, texts, signOut],
  );
  if (setup.error !== undefined) return <Problem error={setup.error} retry={setup.reload} />;
  if (!isKnown || setup.data === undefined) return <Loading />;
  const take = (signed: SignedIn, keep: boolean): void => {
    keepKey(keep ? signed.key : undefined);
    setSignedIn(signed);
  };
  if (session === undefined) return <SignIn notice={notice} onSignedIn={take} />;
  return (
    <SessionContext.Provider value={session}>
      <LocationProvider scope="/console/">
        <Frame />
      </LocationProvider>
    </SessionContext.Provider>
  );
};
