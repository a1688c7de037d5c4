import { useId, useRef } from 'preact/hooks';
import { useTexts } from '../../kit/use-texts.ts';
import { moveWeight, WEIGHT_NAMES, type WeightName, type Weights } from './weights.ts';

interface WeightSlidersProps {
  readonly weights: Weights;
  readonly onChange: (weights: Weights) => void;
}

/**
 * The start of a slider's move. The other weights keep their start proportions, so that rounding errors do not add up.
 */
interface Move {
  readonly name: WeightName;
  readonly from: Weights;
  /** The last result of the move. Any other weights were changed by other means. */
  readonly last: Weights;
}

/** Sliders for the weights. They add up to 1, so moving one changes the others. */
export const WeightSliders = ({ weights, onChange }: WeightSlidersProps) => {
  const { recall: texts } = useTexts();
  const id = useId();
  const begun = useRef<Move | undefined>(undefined);
  const move = (name: WeightName, to: number): void => {
    const { current } = begun;
    const from = current?.name === name && current.last === weights ? current.from : weights;
    const last = moveWeight(from, name, to);
    begun.current = { name, from, last };
    onChange(last);
  };
  return (
    <fieldset class="weights" aria-label={texts.weights}>
      {WEIGHT_NAMES.map((name) => (
        <div key={name} class="weight">
          <label for={`${id}-${name}`}>{texts.weightNames[name]}</label>
          <input
            id={`${id}-${name}`}
            type="range"
            min={0}
            max={100}
            step={1}
            value={weights[name]}
            aria-valuetext={shareOf(weights[name])}
            onInput={({ currentTarget }) => move(name, currentTarget.valueAsNumber)}
          />
          <output>{shareOf(weights[name])}</output>
        </div>
      ))}
    </fieldset>
  );
};

const shareOf = (hundredths: number): string => (hundredths / 100).toFixed(2);
