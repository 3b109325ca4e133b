"""The pictures of the demo: one figure per question."""

import numpy as np
from matplotlib.animation import PillowWriter
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

COLORS = ("tab:blue", "tab:orange")
LINES = ("-", "--")
PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
UNITS = ("kg",) + ("kg m",) * 3 + ("kg m²",) * 6


def panels(curves, path, title: str, labels, every: int = 4) -> None:
    """One panel per joint: a line for denox, dots for the reference, a color for each arm. `labels` name the vertical axes."""
    fig = Figure(figsize=(11, 6), layout="constrained")
    axes = fig.subplots(2, 3, sharex=True)
    for joint, (ax, label) in enumerate(zip(axes.flat, labels, strict=True)):
        for curve, color, line in zip(curves, COLORS, LINES):
            ax.plot(curve.t, curve.ours[:, joint], line, color=color, label=f"{curve.name}, denox")
            dots = slice(None, None, every)
            ax.plot(curve.t[dots], curve.reference[dots, joint], "o", color="black", mfc="none", ms=4, mew=0.8, label="other engines")
        ax.set_title(f"joint {joint + 1}", fontsize="medium")
        ax.set_ylabel(label)
        ax.grid(alpha=0.3)
    for ax in axes[-1]:
        ax.set_xlabel("time (s)")
    handles, names = axes.flat[0].get_legend_handles_labels()
    shown = dict(sorted(zip(names, handles, strict=True), key=lambda item: item[0] == "other engines"))
    fig.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=len(shown), frameon=False)
    fig.suptitle(title)
    fig.savefig(path, dpi=120)


def torques(arm: str, curves, path, slides=()) -> None:
    """Torques over time; forces at the joints that slide, which count from 0."""
    labels = ["force (N)" if joint in slides else "torque (N m)" for joint in range(6)]
    panels(curves, path, f"{arm}: torques along the cycloid", labels)


def falls(arm: str, curves, path, slides=()) -> None:
    """Coordinates over time."""
    labels = ["distance (m)" if joint in slides else "angle (rad)" for joint in range(6)]
    panels(curves, path, f"{arm}: fall from rest, without torques", labels)


def heat_map(slopes, path) -> None:
    """A gradient by ten parameters of each link, (links, 10). Colors are logarithmic, since its entries differ by orders of magnitude."""
    fig = Figure(figsize=(11, 4.6), layout="constrained")
    ax = fig.subplots()
    most = np.abs(slopes).max()
    decades = 10.0 ** np.arange(np.ceil(np.log10(most * 1e-4)), np.log10(most))
    image = ax.imshow(slopes, cmap="RdBu_r", norm=SymLogNorm(most * 1e-5, vmin=-most, vmax=most), aspect="auto")
    for (i, j), slope in np.ndenumerate(slopes):
        near_end = abs(image.norm(slope) - 0.5) > 0.35
        text = "0" if abs(slope) < 1e-12 * most else f"{slope:.0f}" if abs(slope) >= 100 else f"{slope:.3g}"
        ax.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if near_end else "black")
    ax.set_xticks(range(10), [f"{name}\n({unit})" for name, unit in zip(PARAMETERS, UNITS, strict=True)])
    ax.set_yticks(range(len(slopes)), [f"link {i + 1}" for i in range(len(slopes))])
    ax.set_title("Gradient of the integral of squared torques along the cycloid, by every inertial parameter of the PUMA")
    bar = fig.colorbar(image, ticks=[*-decades[::-1], 0, *decades], format="%g", label="(N m)² s per unit of the parameter")
    bar.minorticks_off()
    fig.savefig(path, dpi=120)


# The stick figure, through points (times, points, 3): base, joints, tip

ARM = dict(color=COLORS[0], lw=2.5, marker="o", ms=5, mec="white", mew=0.5, label="joints and tip")
TRAIL = dict(color=COLORS[1], lw=1, label="way of the tip")
BASE = dict(color="black", marker="s", ms=7, ls="none", label="base")


def bounds(places, margin: float = 0.1) -> np.ndarray:
    """(3, 2): what the axes must show for the arm to be seen at all times."""
    return np.stack([places.min((0, 1)) - margin, places.max((0, 1)) + margin], -1)


def strip(t, places, path, count: int = 6) -> None:
    """Stills at even times, from the side and from above."""
    limits = bounds(places)
    x, y, z = np.diff(limits)[:, 0]
    fig = Figure(figsize=(2.1 * count, 2.1 * (y + z) / x + 1.6), layout="constrained")
    axes = fig.subplots(2, count, sharex=True, sharey="row", height_ratios=(z, y))
    for column, i in zip(axes.T, np.linspace(0, len(t) - 1, count).round().astype(int), strict=True):
        for ax, plane in zip(column, ([0, 2], [0, 1]), strict=True):
            ax.plot(*places[: i + 1, -1, plane].T, **TRAIL)
            ax.plot(*places[i][:, plane].T, **ARM)
            ax.plot(*places[i, :1, plane], **BASE)
            ax.set(xlim=limits[plane[0]], ylim=limits[plane[1]], aspect="equal")
            ax.grid(alpha=0.3)
        column[0].set_title(f"{t[i]:.1f} s", fontsize="medium")
        column[1].set_xlabel("x (m)")
    axes[0, 0].set_ylabel("from the side: z (m)")
    axes[1, 0].set_ylabel("from above: y (m)")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    fig.suptitle("PUMA: fall from rest, without torques")
    fig.savefig(path, dpi=120)


def film(t, places, path, dpi: int = 80) -> None:
    """A GIF in real time, one picture per entry of t, at even steps; with the arm's shadow on a plane below."""
    fig = Figure(figsize=(5.0, 4.2))
    ax = fig.add_axes((0.0, 0.02, 0.94, 0.92), projection="3d")
    limits = bounds(places)
    shadows = np.where([False, False, True], limits[2, 0], places)
    shadow, trail, arm = (ax.plot([], [], [], **look)[0] for look in (dict(color="0.75", lw=2), TRAIL, ARM))
    ax.plot(*places[0, :1].T, **BASE)
    ax.set(xlim=limits[0], ylim=limits[1], zlim=limits[2], xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(MultipleLocator(0.5))
    ax.set_box_aspect(np.diff(limits)[:, 0], zoom=1.1)
    ax.view_init(elev=20, azim=-65)
    writer = PillowWriter(fps=round(1 / (t[1] - t[0])))
    with writer.saving(fig, str(path), dpi):
        for i, now in enumerate(t):
            for drawn, at in ((shadow, shadows[i]), (trail, places[: i + 1, -1]), (arm, places[i])):
                drawn.set_data_3d(*at.T)
            fig.suptitle(f"PUMA: fall from rest, {now:.2f} s", fontsize="medium")
            writer.grab_frame()
