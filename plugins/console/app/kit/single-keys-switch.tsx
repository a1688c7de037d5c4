import { useSingleKeys } from './use-single-keys.ts';
import { useTexts } from './use-texts.ts';

/** Switches single keys on or off for the whole console, because speech input can press them by accident. */
export const SingleKeysSwitch = () => {
  const { search: texts } = useTexts();
  const [isOn, choose] = useSingleKeys();
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => choose(currentTarget.checked)} />
      {texts.single}
    </label>
  );
};
