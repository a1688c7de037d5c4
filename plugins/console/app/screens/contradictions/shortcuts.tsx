import { SingleKeysSwitch } from '../../kit/single-keys-switch.tsx';
import { useSingleKeys } from '../../kit/use-single-keys.ts';
import { useTexts } from '../../kit/use-texts.ts';
import type { Texts } from '../../texts/texts.ts';

/** The single keys of a contradiction; without those that settle it, for readers who may not. */
export const keysOfContradiction = (
  { contradictions: { keys } }: Texts,
  canSettle: boolean,
): readonly (readonly [key: string, does: string])[] => [
  ...(canSettle
    ? ([
        ['1 – 9', keys.choose],
        ['n', keys.another],
      ] as const)
    : []),
  ['x', keys.select],
  ['j', keys.next],
  ['k', keys.previous],
];

/** The single keys, which can be switched off here too. */
export const Shortcuts = ({ canSettle }: { canSettle: boolean }) => {
  const texts = useTexts();
  const [isOn] = useSingleKeys();
  return (
    <div class="shortcuts">
      <SingleKeysSwitch />
      {isOn && (
        <ul>
          {keysOfContradiction(texts, canSettle).map(([key, does]) => (
            <li key={key}>
              <kbd>{key}</kbd> {does}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
