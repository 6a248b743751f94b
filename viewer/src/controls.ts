// What buttons, sliders and keys do.
import type { CutPlane } from "./cut_plane";
import { keysOf } from "./keys";
import type { Measurements } from "./measurements";
import { byId, chosenLook, isOn, save } from "./page";
import { kSpeeds, type Player } from "./player";
import type { Look, Stage } from "./stage";

export interface Parts {
  player: Player;
  stage: Stage;
  plane: CutPlane;
  measurements: Measurements;
  reshow: () => void; // the frame, in another way
  fileName: () => string; // without its extension
}

const on = (id: string, event: string, handle: () => void) => byId(id).addEventListener(event, handle);

export function connectControls(parts: Parts): void {
  connectTimeline(parts.player);
  connectLooks(parts);
  connectHeader(parts);
  connectKeys(parts);
}

function connectTimeline(player: Player): void {
  const speed = byId<HTMLSelectElement>("speed");
  for (const value of kSpeeds) speed.add(new Option(`${value}×`, String(value), value === 1, value === 1));
  on("play", "click", () => player.toggle());
  on("back", "click", () => player.step(-1));
  on("forth", "click", () => player.step(1));
  on("timeline", "input", () => {
    const frame = byId<HTMLInputElement>("timeline").valueAsNumber; // before the player sets it
    player.pause();
    player.seek(frame);
  });
  on("loop", "change", () => player.setLoops(isOn("loop")));
  on("follow", "change", () => player.setFollows(isOn("follow")));
  on("speed", "change", () => player.setSpeed(Number(speed.value)));
}

function connectLooks({ stage, plane, reshow }: Parts): void {
  const turnPlane = () => {
    plane.turn(stage.towardsEye());
    reshow();
  };
  const changeLook = () => {
    const isCut = chosenLook() === "cut";
    byId("cut-tools").hidden = !isCut;
    if (isCut && !plane.isPlaced) turnPlane();
    else reshow();
  };
  for (const radio of document.querySelectorAll('input[name="look"]')) radio.addEventListener("change", changeLook);
  for (const id of ["arrows", "particles", "cut-worst", "cut-flip", "cut-by"]) on(id, "change", reshow);
  on("cut-place", "input", reshow);
  on("cut-axis", "change", turnPlane);
  on("obstacles", "change", () => stage.showObstacles(isOn("obstacles")));
  byId("tools").addEventListener("submit", (event) => event.preventDefault());
}

function connectHeader({ stage, player, measurements, fileName }: Parts): void {
  on("save-picture", "click", () => {
    const number = String(player.state.frame).padStart(6, "0");
    void stage.picture().then((picture) => save(picture, `${fileName()}.${number}.png`));
  });
  on("save-data", "click", () => save(new Blob([measurements.csv], { type: "text/csv" }), `${fileName()}.csv`));
  on("toggle-plots", "click", () => {
    const isHidden = document.querySelector("main")?.classList.toggle("no-plots") ?? false;
    byId("toggle-plots").setAttribute("aria-pressed", String(!isHidden));
    measurements.redraw();
  });
  on("help-button", "click", () => byId<HTMLDialogElement>("help").showModal());
  window.addEventListener("resize", () => measurements.redraw());
}

function connectKeys({ player, stage, plane, reshow }: Parts): void {
  const click = (id: string) => () => byId(id).click();
  const choose = (look: Look) => () => document.querySelector<HTMLInputElement>(`input[value="${look}"]`)?.click();
  const movePlane = (steps: number) => () => {
    plane.move(steps);
    reshow();
  };
  keysOf(byId("keys"), [
    [[" "], "space", "play or pause", () => player.toggle()],
    [["ArrowLeft"], "←", "frame before", () => player.step(-1)],
    [["ArrowRight"], "→", "frame after", () => player.step(1)],
    [["Home"], "Home", "first frame", () => player.seek(0)],
    [["End"], "End", "last frame", () => player.seek(player.frames - 1)],
    [["+", "="], "+", "faster", () => player.faster(1)],
    [["-"], "−", "slower", () => player.faster(-1)],
    [["l"], "L", "loop", click("loop")],
    [["f"], "F", "follow the run", click("follow")],
    [["1"], "1", "water", choose("water")],
    [["2"], "2", "wireframe", choose("wireframe")],
    [["3"], "3", "speed", choose("speed")],
    [["4"], "4", "cut open", choose("cut")],
    [["["], "[", "plane back", movePlane(-20)],
    [["]"], "]", "plane forth", movePlane(20)],
    [["v"], "V", "velocity arrows", click("arrows")],
    [["o"], "O", "obstacles", click("obstacles")],
    [["r"], "R", "first camera", () => stage.resetCamera()],
    [["p"], "P", "plots", click("toggle-plots")],
    [["s"], "S", "save the picture", click("save-picture")],
    [["d"], "D", "save the data", click("save-data")],
    [["?"], "?", "this help", click("help-button")],
  ]);
}
