/** The switches of an environment with their explanations. Used by the section of environments and the form of a new one. */
import { environmentTexts } from './texts.tsx';

const texts = environmentTexts.switches;

/** In the order in which they stand. */
export const switches = ['independentApproval', 'acceptNew', 'trustApp'] as const;
type Switch = (typeof switches)[number];

interface SwitchesProps {
  /** What the group is called, for those who don't see it. */
  readonly legend: string;
  readonly names: readonly Switch[];
  readonly isOn: (name: Switch) => boolean;
  readonly onChange: (name: Switch, isOn: boolean) => void;
}

export const Switches = ({ legend, names, isOn, onChange }: SwitchesProps) => (
  <fieldset>
    <legend className="hidden">{legend}</legend>
    {names.map((name) => (
      <label className="choice" key={name}>
        <input type="checkbox" checked={isOn(name)} onChange={({ target }) => onChange(name, target.checked)} />
        <span>
          {texts[name].label} <span className="soft">{texts[name].about}</span>
        </span>
      </label>
    ))}
  </fieldset>
);
