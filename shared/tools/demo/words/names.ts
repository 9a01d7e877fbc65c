// Names of people, companies and places, and the plans that Northwind Cloud sells; used by records and items.

export const firstNames = [
  'Amelia', 'Anders', 'Aylin', 'Beatriz', 'Ben', 'Camille', 'Carlos', 'Chiara', 'Chloe', 'Clara', 'Daan', 'Deepa', 'Diego', 'Dmitri',
  'Eileen', 'Emeka', 'Emma', 'Erik', 'Fatima', 'Felix', 'Freya', 'Gabriel', 'Grace', 'Hana', 'Hassan', 'Helena', 'Hiroshi', 'Ingrid',
  'Isabel', 'Ivan', 'Jakub', 'Jamal', 'Jana', 'José', 'Julia', 'Karim', 'Katarzyna', 'Kwame', 'Laura', 'Leila', 'Liam', 'Łukasz',
  'Mara', 'Marco', 'Mateo', 'Mia', 'Mikael', 'Minh', 'Nadia', 'Naomi', 'Nikhil', 'Noor', 'Olga', 'Oliver', 'Oscar', 'Paolo',
  'Petra', 'Rachel', 'Rafael', 'Ravi', 'Rosa', 'Samuel', 'Sanne', 'Sara', 'Sean', 'Sinéad', 'Søren', 'Stefan', 'Tara', 'Theo',
  'Thi', 'Tomasz', 'Valentina', 'Victor', 'Wei', 'Yara', 'Yuki', 'Yusuf', 'Zoë', 'Zara',
] as const;

export const lastNames = [
  'Abbott', 'Adeyemi', 'Ahmed', 'Almeida', 'Andersson', 'Baker', 'Barros', 'Becker', 'Bianchi', 'Brandt', 'Brennan', 'Castillo',
  'Chaudhry', 'Clarke', 'Costa', 'Dahl', 'Delgado', 'Demir', 'Dubois', 'Eriksen', 'Evans', 'Farkas', 'Fischer', 'Fontaine',
  'Fujimoto', 'García', 'Gallagher', 'Gupta', 'Haddad', 'Hansen', 'Hughes', 'Ibrahim', 'Ito', 'Jansen', 'Jiménez', 'Johansson',
  'Kaplan', 'Keller', 'Khan', 'Kim', 'Kowalski', 'Kumar', 'Larsen', 'Lefèvre', 'Lewis', 'Lindqvist', 'Lombardi', 'Mbeki',
  'McCarthy', 'Mendes', 'Meyer', 'Müller', 'Nakamura', 'Nguyen', 'Nilsson', 'Nowak', 'Nwosu', 'Oliveira', 'Olsen', 'Ortega',
  'Park', 'Patel', 'Pereira', 'Popescu', 'Quinn', 'Reid', 'Richter', 'Romano', 'Sato', 'Schneider', 'Sharma', 'Silva',
  'Singh', 'Sokolov', 'Suzuki', 'Takahashi', 'Tremblay', 'Turner', 'Vargas', 'Vermeulen', 'Walsh', 'Watanabe', 'Wójcik', 'Zhang',
] as const;

export const companyHeads = [
  'Alder', 'Amber', 'Anchor', 'Arbor', 'Atlas', 'Aurora', 'Basalt', 'Beacon', 'Birch', 'Blue Heron', 'Bright', 'Cascade', 'Cedar',
  'Cinder', 'Clover', 'Cobalt', 'Copper', 'Coral', 'Crestline', 'Delta', 'Ember', 'Evergreen', 'Falcon', 'Fjord', 'Foxglove',
  'Granite', 'Greenfield', 'Harbor', 'Hazel', 'Highland', 'Ironwood', 'Ivory', 'Juniper', 'Kestrel', 'Keystone', 'Lantern', 'Larch',
  'Lighthouse', 'Linden', 'Lumen', 'Maple', 'Meridian', 'Mosaic', 'Nimbus', 'North Star', 'Oakridge', 'Onyx', 'Orchard', 'Osprey',
  'Pebble', 'Pinecrest', 'Polar', 'Prairie', 'Quartz', 'Raven', 'Redwood', 'Riverside', 'Saffron', 'Sierra', 'Silverline', 'Slate',
  'Solstice', 'Sparrow', 'Summit', 'Sunrise', 'Tamarack', 'Tidewater', 'Timber', 'Vertex', 'Willow', 'Windmill', 'Zephyr',
] as const;

export const companyTails = [
  'Analytics', 'Apps', 'Architects', 'Books', 'Brewing', 'Capital', 'Clinics', 'Collective', 'Consulting', 'Dental', 'Design',
  'Digital', 'Dynamics', 'Energy', 'Foods', 'Freight', 'Games', 'Health', 'Interiors', 'Labs', 'Learning', 'Legal', 'Logistics',
  'Media', 'Mobility', 'Outdoor', 'Partners', 'Payments', 'Pharma', 'Press', 'Robotics', 'Retail', 'Studio', 'Systems', 'Textiles',
  'Travel', 'Ventures', 'Works',
] as const;

export const countries = [
  { code: 'US', currency: 'USD', weight: 30 }, { code: 'DE', currency: 'EUR', weight: 14 }, { code: 'GB', currency: 'GBP', weight: 12 },
  { code: 'FR', currency: 'EUR', weight: 7 }, { code: 'NL', currency: 'EUR', weight: 6 }, { code: 'SE', currency: 'EUR', weight: 4 },
  { code: 'ES', currency: 'EUR', weight: 5 }, { code: 'IT', currency: 'EUR', weight: 4 }, { code: 'PL', currency: 'EUR', weight: 4 },
  { code: 'CA', currency: 'USD', weight: 5 }, { code: 'BR', currency: 'USD', weight: 4 }, { code: 'IN', currency: 'USD', weight: 4 },
  { code: 'JP', currency: 'USD', weight: 3 }, { code: 'AU', currency: 'USD', weight: 3 }, { code: 'NG', currency: 'USD', weight: 1 },
] as const;

/** `seats` is the usual range, at least 3 so that "{few} of {seats}" reads well; `price` is per seat and month. */
export const plans = [
  { name: 'Free', price: 0, seats: [3, 3], weight: 12 },
  { name: 'Starter', price: 9, seats: [3, 10], weight: 30 },
  { name: 'Team', price: 19, seats: [5, 40], weight: 34 },
  { name: 'Business', price: 39, seats: [15, 150], weight: 18 },
  { name: 'Enterprise', price: 79, seats: [80, 900], weight: 6 },
] as const;

export const paidPlans = plans.filter(({ price }) => price > 0);

export const paymentMethods = [
  'Visa •••• 4242', 'Visa •••• 1881', 'Visa •••• 0077', 'Mastercard •••• 4444', 'Mastercard •••• 8210', 'Amex •••• 0005', 'SEPA •••• 3000',
  'SEPA •••• 6614', 'PayPal', 'iDEAL', 'Bank transfer',
] as const;

const FOREIGN = new Map([['ł', 'l'], ['ø', 'o'], ['ß', 'ss'], ['æ', 'ae'], ['đ', 'd']]);

/** The part of a name that may stand in an e-mail address or a domain. */
export function slug(name: string): string {
  const plain = name.toLowerCase().replace(/[łøßæđ]/g, (letter) => FOREIGN.get(letter) ?? '');
  return plain.normalize('NFD').replace(/[^a-z0-9]/g, '');
}
