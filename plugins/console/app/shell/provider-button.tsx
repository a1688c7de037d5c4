import { useState } from 'preact/hooks';
import { useTexts } from '../kit/use-texts.ts';
import { leaveForProvider } from '../session/provider-sign-in.ts';

/** Signs in by the identity provider of the node. */
export const ProviderButton = () => {
  const { signIn: texts } = useTexts();
  const [state, setState] = useState<'ready' | 'leaving' | 'failed'>('ready');
  const leave = (): void => {
    setState('leaving');
    leaveForProvider().catch(() => setState('failed'));
  };
  return (
    <div class="provider">
      <button type="button" disabled={state === 'leaving'} onClick={leave}>
        {state === 'leaving' ? texts.working : texts.byProvider}
      </button>
      {state === 'failed' && (
        <p class="problem" role="alert">
          {texts.providerUnreachable}
        </p>
      )}
    </div>
  );
};
